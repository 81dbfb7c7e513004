namespace Jackdaw.Simulation.Merging;

/// <summary>Ids and names are compared without regard to it.</summary>
internal static class Casing
{
    public static string ToUpperIf(this string text, bool condition) => condition ? text.ToUpperInvariant() : text;
}

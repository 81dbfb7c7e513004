namespace Jackdaw.Bench.Load;

/// <summary>Ids of the in-process benchmarks: <c>items/</c> and ten digits, so that their order is that of the numbers.</summary>
internal static class DocumentIds
{
    public const string Prefix = "items/";

    public static string Of(long number) => string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{Prefix}{number:D10}");
}

namespace Jackdaw.Server.Security.Certificates;

/// <summary>Thumbprints as people write them.</summary>
internal static class Thumbprints
{
    /// <summary>Capital digits without the spaces and colons between them, and without the invisible mark that Windows copies
    /// along.</summary>
    public static string Normalized(string text) =>
        string.Concat(text.Where(letter => letter is not (':' or ' ' or '-' or '\u200e'))).ToUpperInvariant();
}

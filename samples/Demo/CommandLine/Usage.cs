namespace Jackdaw.Demo.CommandLine;

/// <summary>What <c>--help</c> prints; <c>eng/demo</c> prints the same file before anything is built.</summary>
internal static class Usage
{
    public static string Text
    {
        get
        {
            using var reader = new StreamReader(typeof(Usage).Assembly.GetManifestResourceStream("usage.txt")!);
            return reader.ReadToEnd();
        }
    }
}

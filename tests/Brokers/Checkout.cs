namespace Jackdaw.Brokers;

/// <summary>Where the checkout is that the tests run from.</summary>
internal static class Checkout
{
    public static string Root { get; } = FindRoot();

    /// <summary>A path below the root.</summary>
    public static string At(params string[] parts) => Path.Combine([Root, .. parts]);

    private static string FindRoot()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
            if (File.Exists(Path.Combine(folder.FullName, "Jackdaw.slnx")))
                return folder.FullName;
        throw new InvalidOperationException($"No Jackdaw.slnx above {AppContext.BaseDirectory}.");
    }
}

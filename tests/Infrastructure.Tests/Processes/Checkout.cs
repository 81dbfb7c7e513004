namespace Jackdaw.Infrastructure.Processes;

/// <summary>Where the files are that these tests check.</summary>
internal static class Checkout
{
    public static string Root { get; } = FindRoot();

    public static string ServerAssembly => At("src", "Server", "bin", "Release", "net10.0", "Jackdaw.Server.dll");

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

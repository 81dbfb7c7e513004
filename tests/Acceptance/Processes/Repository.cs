namespace Jackdaw.Acceptance.Processes;

/// <summary>Where things are in the checkout that the tests run from.</summary>
internal static class Repository
{
    public static string Root { get; } = FindRoot();

    public static string ServerAssembly => Path.Combine(Root, "src", "Server", "bin", "Release", "net10.0", "Jackdaw.Server.dll");

    public static string NodeScripts => Path.Combine(Root, "tests", "Acceptance", "node");

    private static string FindRoot()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
            if (File.Exists(Path.Combine(folder.FullName, "Jackdaw.slnx")))
                return folder.FullName;
        throw new InvalidOperationException($"No Jackdaw.slnx above {AppContext.BaseDirectory}.");
    }
}

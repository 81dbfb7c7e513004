namespace Jackdaw.Bench.Frame;

/// <summary>The checkout that this program was built in.</summary>
internal static class Repository
{
    /// <summary>The folder that holds the solution.</summary>
    public static string Root { get; } = FindRoot();

    /// <summary>The built server, started as a process of its own.</summary>
    public static string ServerAssembly => Path.Combine(Root, "src", "Server", "bin", "Release", "net10.0", "Jackdaw.Server.dll");

    /// <summary>The built function app: host.json, handler and functions.</summary>
    public static string FunctionApp => Path.Combine(Root, "functions", "CustomHandler", "bin", "Release", "net10.0");

    private static string FindRoot()
    {
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Jackdaw.slnx")))
                return folder.FullName;
        }
        throw new DirectoryNotFoundException($"Jackdaw.slnx is in no folder above {AppContext.BaseDirectory}");
    }
}

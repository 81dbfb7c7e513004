namespace Jackdaw.Bench.Frame;

/// <summary>The folder on the measured file system in which contenders keep their data; each in a folder of its own, removed at
/// the end.</summary>
internal sealed class Workspace : IDisposable
{
    private int _folders;

    public Workspace(string directory)
    {
        System.IO.Directory.CreateDirectory(directory);
        Root = Path.Combine(directory, "run-" + Environment.ProcessId);
        System.IO.Directory.CreateDirectory(Root);
    }

    public string Root { get; }

    public long FreeBytes => new DriveInfo(Root).AvailableFreeSpace;

    public string NewFolder()
    {
        string folder = Path.Combine(Root, (++_folders).ToString(System.Globalization.CultureInfo.InvariantCulture));
        System.IO.Directory.CreateDirectory(folder);
        return folder;
    }

    public static void Remove(string folder)
    {
        if (System.IO.Directory.Exists(folder))
            System.IO.Directory.Delete(folder, recursive: true);
    }

    public void Dispose() => Remove(Root);
}

using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Hosting;

/// <summary>A folder of the file system.</summary>
internal sealed class LinuxDataFolder : IDataFolder
{
    private const int ErrnoInputOutput = 5;

    private readonly string _root;
    private readonly LinuxDisk _disk;

    public LinuxDataFolder(string root)
    {
        _root = Path.GetFullPath(root);
        _disk = new LinuxDisk(_root);
    }

    public IDisk OpenDisk(string folder) => new LinuxDisk(FullPath(folder));

    public bool HasFolder(string folder) => Directory.Exists(FullPath(folder));

    public IReadOnlyList<string> Folders(string folder)
    {
        if (!Directory.Exists(FullPath(folder)))
            return [];
        return Translated(
            "list",
            folder,
            () => Directory.GetDirectories(FullPath(folder)).Select(path => Path.GetFileName(path)!).Order(StringComparer.Ordinal).ToArray()
        );
    }

    public void DeleteFolder(string folder)
    {
        if (!Directory.Exists(FullPath(folder)))
            return;
        Translated(
            "delete folder",
            folder,
            () =>
            {
                Directory.Delete(FullPath(folder), recursive: true);
                return true;
            }
        );
        _disk.SyncDirectory(Parent(folder));
    }

    public void RenameFolder(string from, string to)
    {
        _disk.CreateDirectory(Parent(to));
        _disk.SyncDirectory(Parent(Parent(to)));
        _disk.Rename(from, to);
        _disk.SyncDirectory(Parent(from));
        _disk.SyncDirectory(Parent(to));
    }

    public long SizeBytes(string folder)
    {
        if (!Directory.Exists(FullPath(folder)))
            return 0;
        return Translated(
            "list",
            folder,
            () =>
                new DirectoryInfo(FullPath(folder))
                    .EnumerateFiles("*", SearchOption.AllDirectories)
                    .Sum(file => file.Exists ? file.Length : 0)
        );
    }

    public void Dispose() => _disk.Dispose();

    private string FullPath(string folder) => Path.Combine(_root, folder);

    private static string Parent(string folder) => Path.GetDirectoryName(folder) ?? "";

    private static T Translated<T>(string operation, string folder, Func<T> action)
    {
        try
        {
            return action();
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new DiskException(folder, operation, 0, ErrnoInputOutput, error.Message);
        }
    }
}

using Jackdaw.Documents.Hosting;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Tests;

/// <summary>A folder of the file system that fails when the test says so.</summary>
internal sealed class FaultyDataFolder(string root) : IDataFolder
{
    private readonly LinuxDataFolder _folder = new(root);

    /// <summary>The disk last opened for each folder.</summary>
    public Dictionary<string, FaultyDisk> Disks { get; } = new(StringComparer.Ordinal);

    public bool RenamingFails { get; set; }

    public bool DeletingFails { get; set; }

    public IDisk OpenDisk(string folder)
    {
        var disk = new FaultyDisk(_folder.OpenDisk(folder));
        lock (Disks)
            Disks[folder] = disk;
        Opened?.Invoke(folder, disk);
        return disk;
    }

    /// <summary>Called with each disk that is opened, on the thread that opens it.</summary>
    public Action<string, FaultyDisk>? Opened { get; set; }

    public bool HasFolder(string folder) => _folder.HasFolder(folder);

    public IReadOnlyList<string> Folders(string folder) => _folder.Folders(folder);

    public void DeleteFolder(string folder)
    {
        if (DeletingFails)
            throw new DiskException(folder, "delete folder", 0, 5, "input/output error");
        _folder.DeleteFolder(folder);
    }

    public void RenameFolder(string from, string to)
    {
        if (RenamingFails)
            throw new DiskException(from, "rename", 0, 5, "input/output error");
        _folder.RenameFolder(from, to);
    }

    public long SizeBytes(string folder) => _folder.SizeBytes(folder);

    public void Dispose() => _folder.Dispose();
}

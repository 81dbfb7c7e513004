using Jackdaw.Documents.Hosting;
using Jackdaw.Simulation.Following;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Disk;
using Xunit;

namespace Jackdaw.Documents.Tests;

/// <summary>A data folder on a simulated disk, on which the power can go out at any operation.</summary>
internal sealed class SimulatedDataFolder(SimulatedDisk disk) : IDataFolder
{
    public IDisk OpenDisk(string folder) => new FolderDisk(disk, folder);

    public bool HasFolder(string folder) => disk.Exists(folder);

    public IReadOnlyList<string> Folders(string folder) => disk.FoldersIn(folder);

    public void DeleteFolder(string folder) => disk.DeleteFolder(folder);

    public void RenameFolder(string from, string to) => disk.Rename(from, to);

    public long SizeBytes(string folder) => 0;

    public void Dispose() { }

    /// <summary>Puts the files of a folder of the file system onto the disk, durably.</summary>
    public unsafe void Load(string root)
    {
        foreach (var folder in Directory.GetDirectories(root, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal))
            disk.CreateDirectory(Inner(root, folder));
        foreach (var path in Directory.GetFiles(root, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal))
        {
            var bytes = File.ReadAllBytes(path);
            using var file = disk.Open(Inner(root, path), DiskFileMode.Data, create: true);
            if (bytes.Length == 0)
                continue;
            file.Allocate(0, bytes.Length);
            fixed (byte* buffer = bytes)
                Assert.Equal(bytes.Length, file.WriteAt(0, buffer, bytes.Length));
            file.Sync();
        }
        foreach (var folder in Directory.GetDirectories(root, "*", SearchOption.AllDirectories).Append(root))
            disk.SyncDirectory(Inner(root, folder));
    }

    /// <summary>Writes what is on the disk into a folder of the file system.</summary>
    public void Save(string root, string folder = "")
    {
        Directory.CreateDirectory(Path.Combine(root, folder));
        foreach (var (path, _) in disk.FilesUnder(folder))
            File.WriteAllBytes(Path.Combine(root, path), disk.Content(path).ToArray());
        foreach (var name in disk.FoldersIn(folder))
            Save(root, folder.Length == 0 ? name : $"{folder}/{name}");
    }

    private static string Inner(string root, string path) => path == root ? "" : Path.GetRelativePath(root, path).Replace('\\', '/');
}

using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Simulation.Following;

/// <summary>A folder of a disk as a disk of its own: what happens to the machine happens to it.</summary>
internal sealed class FolderDisk(SimulatedDisk disk, string folder) : IDisk
{
    public string Description => $"{disk.Description}/{folder}";

    public bool IsDurable => disk.IsDurable;

    public int AtomicUnit => disk.AtomicUnit;

    public long FreeBytes => disk.FreeBytes;

    public IDiskFile Open(string path, DiskFileMode mode, bool create) => disk.Open(In(path), mode, create, $"{folder}/");

    public bool Exists(string path) => disk.Exists(In(path));

    public void CreateDirectory(string path) => disk.CreateDirectory(In(path));

    public IReadOnlyList<string> List(string directory) => disk.List(In(directory));

    public void Rename(string from, string to) => disk.Rename(In(from), In(to));

    public void Delete(string path) => disk.Delete(In(path));

    public void SyncDirectory(string directory) => disk.SyncDirectory(In(directory));

    public IDisposable Lock(string path) => disk.Lock(In(path));

    /// <summary>The disk is its owner's.</summary>
    public void Dispose() { }

    private string In(string path) => path.Length == 0 ? folder : $"{folder}/{path}";
}

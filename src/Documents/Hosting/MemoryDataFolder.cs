using System.Collections.Concurrent;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Documents.Hosting;

/// <summary>Environments in memory: nothing is left of one once its disk is disposed of.</summary>
internal sealed class MemoryDataFolder : IDataFolder
{
    private readonly ConcurrentDictionary<string, bool> _folders = new(StringComparer.Ordinal);

    public IDisk OpenDisk(string folder)
    {
        _folders[folder] = true;
        return new MemoryDisk(folder);
    }

    public bool HasFolder(string folder) => _folders.ContainsKey(folder);

    public IReadOnlyList<string> Folders(string folder) =>
        _folders
            .Keys.Where(path => Path.GetDirectoryName(path) == folder)
            .Select(path => Path.GetFileName(path)!)
            .Order(StringComparer.Ordinal)
            .ToArray();

    public void DeleteFolder(string folder) => _folders.TryRemove(folder, out _);

    public void RenameFolder(string from, string to)
    {
        if (_folders.TryRemove(from, out _))
            _folders[to] = true;
    }

    public long SizeBytes(string folder) => 0;

    public void Dispose() => _folders.Clear();
}

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

    public void DeleteFolder(string folder)
    {
        foreach (string path in Within(folder))
            _folders.TryRemove(path, out _);
    }

    public void RenameFolder(string from, string to)
    {
        foreach (string path in Within(from))
        {
            if (_folders.TryRemove(path, out _))
                _folders[to + path[from.Length..]] = true;
        }
    }

    public long SizeBytes(string folder) => 0;

    public void Dispose() => _folders.Clear();

    private IEnumerable<string> Within(string folder) =>
        _folders.Keys.Where(path => path == folder || path.StartsWith(folder + "/", StringComparison.Ordinal));
}

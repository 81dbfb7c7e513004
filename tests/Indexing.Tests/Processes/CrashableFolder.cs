using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Tests;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>
/// A data folder of the file system that a test can cut off, as kill -9 does: from then on nothing reaches the files, and what had reached
/// them stays. Deleted at the end.
/// </summary>
internal sealed class CrashableFolder : IDisposable
{
    private readonly List<FaultyDisk> _disks = [];
    private FaultyDataFolder? _current;
    private bool _isCut;

    public string Path { get; } = Directory.CreateTempSubdirectory("jackdaw-index-").FullName;

    /// <summary>The folder for the next opening, in order again.</summary>
    public IDataFolder Open()
    {
        lock (_disks)
        {
            _disks.Clear();
            _isCut = false;
        }
        return _current = new FaultyDataFolder(Path)
        {
            Opened = (_, disk) =>
            {
                lock (_disks)
                {
                    _disks.Add(disk);
                    if (_isCut)
                        Cut(disk);
                }
            },
        };
    }

    /// <summary>The disk last opened for an index's folder.</summary>
    public FaultyDisk DiskOf(Guid instanceId) => _current!.Disks[$"Databases/db/Indexes/{instanceId:N}"];

    /// <summary>Nothing is written any more.</summary>
    public void Cut()
    {
        lock (_disks)
        {
            _isCut = true;
            _current!.DeletingFails = _current.RenamingFails = true;
            _disks.ForEach(Cut);
        }
    }

    private static void Cut(FaultyDisk disk)
    {
        disk.IsFull = true;
        disk.BeforeWrite = static _ => throw new DiskException("cut", "write", 0, 5, "the power is off");
        disk.BeforeSync = static _ => throw new DiskException("cut", "sync", 0, 5, "the power is off");
    }

    public void Dispose() => Directory.Delete(Path, recursive: true);
}

using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Simulation.Medium;

/// <summary>
/// A disk whose every misfortune comes from a seed. It keeps what the running machine sees apart from what is on the medium, so
/// that a power
/// cut can keep, lose or tear what no sync covers. docs/simulation.md says what is modelled. Single-threaded.
/// </summary>
public sealed class SimulatedDisk : IDisk
{
    private readonly List<NameChange> _nameChanges = [];
    private readonly List<SimulatedInode> _inodes = [];
    private readonly HashSet<string> _locked = new(StringComparer.Ordinal);
    private readonly SimulatedFolder _root = new();
    private long _cutAt = long.MaxValue;
    private bool _isCut;
    private bool _isDetached;

    public SimulatedDisk(SimulatedRandom random, int atomicUnit, SimulatedClock clock, OperationTrace trace)
    {
        Random = random;
        AtomicUnit = atomicUnit;
        Clock = clock;
        Trace = trace;
    }

    public string Description => "simulated";

    public bool IsDurable => true;

    public int AtomicUnit { get; }

    /// <summary>Operations that find no room: allocations, creations, writes past a file's end.</summary>
    public bool IsFull { get; set; }

    public long FreeBytes => IsFull ? 0 : 1L << 30;

    public DiskFaults Faults { get; set; } = DiskFaults.None;

    public OperationTrace Trace { get; }

    /// <summary>Operations so far.</summary>
    public long Operations { get; private set; }

    /// <summary>Misdirected writes so far: what lies on the medium since then is nobody's promise.</summary>
    public int Misdirected { get; private set; }

    /// <summary>Holes punched so far.</summary>
    public int Punches { get; internal set; }

    /// <summary>The power has gone out, or the process is gone; nothing works until the restart.</summary>
    internal bool IsOut => _isCut;

    internal SimulatedRandom Random { get; }

    internal SimulatedClock Clock { get; }

    /// <summary>Counts restarts; what was opened in an earlier session is dead.</summary>
    internal int Session { get; private set; }

    /// <summary>The power goes out in the <paramref name="operations"/>-th operation from now (1: the next).</summary>
    public void CutPowerIn(long operations) => _cutAt = Operations + operations;

    /// <summary>The cut that was to come does not.</summary>
    public void CancelPowerCut() => _cutAt = long.MaxValue;

    /// <summary>
    /// The process is gone: whatever it still attempts is a power cut to it, and nothing is there any more. For giving back its memory.
    /// </summary>
    public void Detach() => _isCut = _isDetached = true;

    /// <summary>
    /// The machine starts again. After a power cut what no sync covered is kept, lost or torn; after the end of the process alone
    /// the page cache is
    /// still there. Nothing of the session before may be used any more, and its mappings show the new content.
    /// </summary>
    public void Restart(bool powerCut)
    {
        Trace.Add(DiskOperation.Restart, powerCut ? "power" : "process", 0, 0, DiskOutcome.Done);
        Session++;
        _isCut = _isDetached = false;
        _cutAt = long.MaxValue;
        _locked.Clear();
        if (powerCut)
        {
            LoseNames();
            foreach (var inode in _inodes)
                inode.PowerCut(Random, AtomicUnit);
        }
        Sweep();
    }

    public IDiskFile Open(string path, DiskFileMode mode, bool create) => Open(path, mode, create, prefix: "");

    /// <summary>As <see cref="Open(string, DiskFileMode, bool)"/>, for somebody to whom a folder is the disk.</summary>
    /// <param name="path">With the folder.</param>
    /// <param name="mode">How it is used.</param>
    /// <param name="create">Makes it where there is none.</param>
    /// <param name="prefix">The folder with its slash: no part of the file's path.</param>
    internal IDiskFile Open(string path, DiskFileMode mode, bool create, string prefix)
    {
        var outcome = Begin(DiskOperation.Open, path, 0, 0, Faults.MetadataError);
        var found = Find(path, out var folder, out var name);
        if (outcome == DiskOutcome.Done && found == null && create && folder != null && (IsFull || Chance(Faults.NoSpace)))
            outcome = DiskOutcome.NoSpace;
        End(DiskOperation.Open, path, (long)mode, create ? 1 : 0, outcome);
        if (found is SimulatedInode inode)
            return new SimulatedFile(this, inode, path, mode, prefix);
        if (found != null || !create || folder == null)
            throw LinuxErrors.Make(path, "open", 0, LinuxCalls.ENOENT);
        inode = new SimulatedInode();
        _inodes.Add(inode);
        Change((folder, name, inode));
        return new SimulatedFile(this, inode, path, mode, prefix);
    }

    public bool Exists(string path)
    {
        if (_isDetached)
            return false;
        var outcome = Begin(DiskOperation.Exists, path, 0, 0, 0);
        var found = path.Length == 0 || Find(path, out _, out _) != null;
        End(DiskOperation.Exists, path, 0, found ? 1 : 0, outcome);
        return found;
    }

    public void CreateDirectory(string path)
    {
        End(DiskOperation.CreateDirectory, path, 0, 0, Begin(DiskOperation.CreateDirectory, path, 0, 0, Faults.MetadataError));
        if (Find(path, out var folder, out var name) is SimulatedFolder)
            return;
        if (folder == null)
            throw LinuxErrors.Make(path, "mkdir", 0, LinuxCalls.ENOENT);
        Change((folder, name, new SimulatedFolder()));
    }

    public IReadOnlyList<string> List(string directory)
    {
        End(DiskOperation.List, directory, 0, 0, Begin(DiskOperation.List, directory, 0, 0, 0));
        return FindFolder(directory) is { } folder ? [.. folder.Entries.Where(e => e.Value is SimulatedInode).Select(e => e.Key)] : [];
    }

    public void Rename(string from, string to)
    {
        End(DiskOperation.Rename, from + " " + to, 0, 0, Begin(DiskOperation.Rename, from, 0, 0, Faults.MetadataError));
        var node = Find(from, out var fromFolder, out var fromName);
        Find(to, out var toFolder, out var toName);
        if (node == null || toFolder == null)
            throw LinuxErrors.Make(from, $"rename to '{to}'", 0, LinuxCalls.ENOENT);
        if (from != to)
            Change((fromFolder!, fromName, null), (toFolder, toName, node));
    }

    public void Delete(string path)
    {
        End(DiskOperation.Delete, path, 0, 0, Begin(DiskOperation.Delete, path, 0, 0, Faults.MetadataError));
        if (Find(path, out var folder, out var name) is not SimulatedInode)
            throw LinuxErrors.Make(path, "unlink", 0, LinuxCalls.ENOENT);
        Change((folder!, name, null));
    }

    public void SyncDirectory(string directory)
    {
        End(DiskOperation.SyncDirectory, directory, 0, 0, Begin(DiskOperation.SyncDirectory, directory, 0, 0, Faults.DirectorySyncError));
        var folder = FindFolder(directory) ?? throw LinuxErrors.Make(directory, "fsync", 0, LinuxCalls.ENOENT);
        for (var i = 0; i < _nameChanges.Count; )
        {
            if (_nameChanges[i].Sync(folder))
            {
                _nameChanges[i].ApplyToMedium();
                _nameChanges.RemoveAt(i);
            }
            else
            {
                i++;
            }
        }
    }

    public IDisposable Lock(string path)
    {
        End(DiskOperation.Lock, path, 0, 0, Begin(DiskOperation.Lock, path, 0, 0, 0));
        return _locked.Add(path) ? new HeldLock(this, path) : throw new EnvironmentLockedException(path, Environment.ProcessId);
    }

    /// <summary>The folders in a folder, as the running machine sees them.</summary>
    internal IReadOnlyList<string> FoldersIn(string directory)
    {
        End(DiskOperation.List, directory, 0, 0, Begin(DiskOperation.List, directory, 0, 0, 0));
        return FindFolder(directory) is { } folder ? [.. folder.Entries.Where(e => e.Value is SimulatedFolder).Select(e => e.Key)] : [];
    }

    /// <summary>Deletes a folder with everything in it, name by name, and makes that durable. Nothing happens when there is none.</summary>
    internal void DeleteFolder(string path)
    {
        if (Find(path, out var parent, out var name) is not SimulatedFolder folder)
            return;
        foreach (var (entry, node) in folder.Entries.ToArray())
        {
            if (node is SimulatedFolder)
                DeleteFolder(Join(path, entry));
            else
                Delete(Join(path, entry));
        }
        End(DiskOperation.Delete, path, 0, 0, Begin(DiskOperation.Delete, path, 0, 0, Faults.MetadataError));
        Change((parent!, name, null));
        SyncDirectory(path.Contains('/', StringComparison.Ordinal) ? path[..path.LastIndexOf('/')] : "");
    }

    /// <summary>The files under a folder of the running machine, with their lengths.</summary>
    public IReadOnlyList<(string Path, long Length)> FilesUnder(string directory) =>
        FindFolder(directory) is { } folder
            ?
            [
                .. folder
                    .Entries.Where(e => e.Value is SimulatedInode)
                    .Select(e => (Join(directory, e.Key), ((SimulatedInode)e.Value).Length)),
            ]
            : [];

    /// <summary>Changes bytes of a file while the machine is off; nothing may be pending there, as after a restart or a sync.</summary>
    public void Damage(string path, long offset, Action<Span<byte>> change)
    {
        ArgumentNullException.ThrowIfNull(change);
        Trace.Add(DiskOperation.Damage, path, offset, 0, DiskOutcome.Done);
        var inode = (SimulatedInode)Find(path, out _, out _)!;
        inode.MakeDurable();
        change(inode.Medium[(int)offset..]);
        inode.ShowMedium();
    }

    /// <summary>Flips bits of one byte of a file as the running machine sees it; what is on the medium stays.</summary>
    internal unsafe void FlipCached(string path, long offset, byte mask)
    {
        Trace.Add(DiskOperation.Damage, path, offset, mask, DiskOutcome.Done);
        ((SimulatedInode)Find(path, out _, out _)!).Cache[offset] ^= mask;
    }

    /// <summary>The bytes of a file as the running machine sees them.</summary>
    public unsafe ReadOnlySpan<byte> Content(string path) =>
        Find(path, out _, out _) is SimulatedInode inode ? new ReadOnlySpan<byte>(inode.Cache, (int)inode.Length) : default;

    public void Dispose()
    {
        Session++;
        foreach (var inode in _inodes)
            inode.Free();
        _inodes.Clear();
    }

    internal bool Chance(int oneIn) => Random.OneIn(oneIn);

    /// <summary>Counts the operation, lets time pass and decides whether it fails.</summary>
    internal DiskOutcome Begin(DiskOperation operation, string path, long offset, long length, int errorOdds)
    {
        if (_isCut)
            throw new PowerCutException();
        Operations++;
        Clock.Advance(TimeSpan.FromMicroseconds(20 + length / 1000));
        if (Operations >= _cutAt)
        {
            _isCut = true;
            return DiskOutcome.PowerCut;
        }
        return Chance(errorOdds) ? DiskOutcome.Failed : DiskOutcome.Done;
    }

    /// <summary>Notes the operation, and throws what it came to.</summary>
    internal void End(DiskOperation operation, string path, long offset, long length, DiskOutcome outcome, ulong content = 0)
    {
        Trace.Add(operation, path, offset, length, outcome, content);
        switch (outcome)
        {
            case DiskOutcome.PowerCut:
                throw new PowerCutException();
            case DiskOutcome.Failed:
                throw LinuxErrors.Make(path, operation.ToString(), offset, LinuxCalls.EIO);
            case DiskOutcome.NoSpace:
                throw LinuxErrors.Make(path, operation.ToString(), offset, LinuxCalls.ENOSPC);
            case DiskOutcome.Misdirected:
                Misdirected++;
                break;
        }
    }

    private static string Join(string directory, string name) => directory.Length == 0 ? name : directory + "/" + name;

    private void Change(params (SimulatedFolder Folder, string Name, ISimulatedNode? Node)[] entries)
    {
        var change = new NameChange(entries);
        change.ApplyToView();
        _nameChanges.Add(change);
    }

    /// <summary>Each unsynced change of names is kept or lost, but none is kept without those before it that concern the same
    /// names.</summary>
    private void LoseNames()
    {
        var mood = Random.Next(4);
        var lost = new List<NameChange>();
        foreach (var change in _nameChanges)
        {
            var keep = mood switch
            {
                0 => true,
                1 => false,
                _ => Random.Coin(),
            };
            if (keep && !lost.Any(change.TouchesSameNameAs))
                change.ApplyToMedium();
            else
                lost.Add(change);
        }
        _nameChanges.Clear();
        _root.ShowMedium();
    }

    private void Sweep()
    {
        foreach (var inode in _inodes)
            inode.Reachable = false;
        foreach (var inode in _root.Files())
            inode.Reachable = true;
        foreach (var change in _nameChanges)
        {
            foreach (var (_, _, node) in change.Entries)
            {
                if (node is SimulatedInode inode)
                    inode.Reachable = true;
            }
        }
        foreach (var inode in _inodes.Where(i => !i.Reachable))
            inode.Free();
        _inodes.RemoveAll(i => !i.Reachable);
    }

    private SimulatedFolder? FindFolder(string path) => path.Length == 0 ? _root : Find(path, out _, out _) as SimulatedFolder;

    /// <summary>What is at a path, and the folder (null when there is none) and name that it would be in.</summary>
    private ISimulatedNode? Find(string path, out SimulatedFolder? folder, out string name)
    {
        var parts = path.Split('/');
        folder = _root;
        for (var i = 0; i < parts.Length - 1 && folder != null; i++)
            folder = folder.Entries.GetValueOrDefault(parts[i]) as SimulatedFolder;
        name = parts[^1];
        return folder?.Entries.GetValueOrDefault(name);
    }

    private sealed class HeldLock(SimulatedDisk disk, string path) : IDisposable
    {
        private readonly int _session = disk.Session;

        public void Dispose()
        {
            if (_session == disk.Session)
                disk._locked.Remove(path);
        }
    }
}

using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Storage.Headers;

/// <summary>
/// The two header files. One is written a round, the older one; a header that is being written never endangers the other.
/// An environment exists once either file does: creation renames the first one into place as its last step.
/// </summary>
internal sealed unsafe class HeaderFiles : IDisposable
{
    private const int FileBytes = 4096;
    private const int BothCreated = -1;
    private const string NewName = "header.new";
    public static readonly string[] Names = ["header.a", "header.b"];

    private readonly IDisk _disk;
    private readonly IDiskFile?[] _files = new IDiskFile?[2];
    private readonly EnvironmentHeader?[] _headers = new EnvironmentHeader?[2];
    private readonly bool[] _isUnnamed = new bool[2]; // made since, its name not yet durable
    private readonly NativeArena _arena = new("headers");
    private readonly byte* _buffer;
    private EnvironmentHeader? _first;

    private HeaderFiles(IDisk disk)
    {
        _disk = disk;
        _buffer = _arena.Allocate(FileBytes, FileBytes);
    }

    /// <summary>The valid header of the higher generation.</summary>
    public EnvironmentHeader Newest => Current() ?? _first ?? throw new InvalidOperationException("No header has been read or written.");

    /// <summary>The header of the other file: the one a crash in the middle of the next round falls back to. Null when it is not
    /// valid.</summary>
    public EnvironmentHeader? Other => _headers[0] == Current() ? _headers[1] : _headers[0];

    public static bool Exist(IDisk disk) => disk.Exists(Names[0]) || disk.Exists(Names[1]);

    /// <summary>Reads both. Throws <see cref="CorruptedDataException"/> when neither is valid.</summary>
    public static HeaderFiles Open(IDisk disk)
    {
        var files = new HeaderFiles(disk);
        try
        {
            for (var i = 0; i < 2; i++)
                files.Read(i);
            if (files.Current() == null)
                throw new CorruptedDataException($"{disk.Description}/{Names[0]} and {Names[1]}", 0, "neither header is valid");
            return files;
        }
        catch
        {
            files.Dispose();
            throw;
        }
    }

    /// <summary>A new environment's: the files come into being with the first <see cref="Write"/>, which is the last step of
    /// creation.</summary>
    public static HeaderFiles Unwritten(IDisk disk, EnvironmentHeader first) => new(disk) { _first = first };

    /// <summary>Writes the next generation over the older header; durable only after <see cref="Sync"/> of the same round.
    /// Returns which file it was.</summary>
    public int Write(EnvironmentHeader header)
    {
        if (Current() == null)
            return CreateBoth(header);
        var target = Current() == _headers[0] ? 1 : 0;
        _files[target] ??= Create(target);
        WriteTo(_files[target]!, header with { Generation = Newest.Generation + 1 });
        _headers[target] = null;
        return target;
    }

    /// <summary>Makes the header of this round durable, and only then counts on it.</summary>
    public void Sync(int target, EnvironmentHeader header)
    {
        if (target == BothCreated)
            return;
        _files[target]!.Sync();
        if (_isUnnamed[target])
            _disk.SyncDirectory("");
        _isUnnamed[target] = false;
        _headers[target] = header with { Generation = Newest.Generation + 1 };
    }

    /// <summary>Both files, one after the other: afterwards no older header can be fallen back to.</summary>
    public void WriteBoth(EnvironmentHeader header)
    {
        Sync(Write(header), header);
        Sync(Write(header), header);
    }

    public void Dispose()
    {
        foreach (var file in _files)
            file?.Dispose();
        _arena.Free(_buffer, FileBytes);
        _arena.Dispose();
    }

    private IDiskFile Create(int target)
    {
        _isUnnamed[target] = true;
        return _disk.Open(Names[target], DiskFileMode.Buffered, create: true);
    }

    private int CreateBoth(EnvironmentHeader header)
    {
        for (var i = 0; i < 2; i++)
        {
            var next = header with { Generation = header.Generation + i };
            using (var file = _disk.Open(NewName, DiskFileMode.Buffered, create: true))
            {
                WriteTo(file, next);
                file.Sync();
            }
            _disk.Rename(NewName, Names[i]);
            _disk.SyncDirectory("");
            _files[i] = _disk.Open(Names[i], DiskFileMode.Buffered, create: false);
            _headers[i] = next;
        }
        return BothCreated;
    }

    private EnvironmentHeader? Current() =>
        _headers[0] is { } a && (_headers[1] is not { } b || a.Generation > b.Generation) ? a : _headers[1];

    private void Read(int index)
    {
        if (!_disk.Exists(Names[index]))
            return;
        var file = _files[index] = _disk.Open(Names[index], DiskFileMode.Buffered, create: false);
        new Span<byte>(_buffer, FileBytes).Clear();
        try
        {
            if (file.ReadAt(0, _buffer, FileBytes) >= EnvironmentHeader.Size)
                _headers[index] = EnvironmentHeader.Read(new ReadOnlySpan<byte>(_buffer, FileBytes), $"{_disk.Description}/{Names[index]}");
        }
        catch (DiskException)
        {
            // An unreadable header counts as an invalid one: the other decides (fault table, "one header, EIO").
            _headers[index] = null;
        }
    }

    private void WriteTo(IDiskFile file, EnvironmentHeader header)
    {
        new Span<byte>(_buffer, FileBytes).Clear();
        header.WriteTo(new Span<byte>(_buffer, FileBytes));
        FullWrite.Write(file, 0, _buffer, FileBytes, 1);
    }
}

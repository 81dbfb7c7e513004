using System.Globalization;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Journal;

/// <summary>The folder of the journal: names, and what the files in it are.</summary>
internal sealed unsafe class JournalFolder
{
    private const int NameLength = 16;
    private const string UnfinishedPrefix = "new-";

    private readonly IDisk _disk;
    private readonly string _directory;
    private readonly JournalOptions _options;
    private int _unfinished;

    public JournalFolder(IDisk disk, JournalOptions options)
    {
        _disk = disk;
        _directory = options.Directory;
        _options = options;
    }

    public string PathOf(long sequence) => $"{_directory}/{sequence.ToString("x16", CultureInfo.InvariantCulture)}";

    /// <summary>The path with the disk's root, for errors.</summary>
    public string Shown(string path) => $"{_disk.Description}/{path}";

    /// <summary>A name that no other file has, for one that is being made.</summary>
    public string UnfinishedPath() => $"{_directory}/{UnfinishedPrefix}{Interlocked.Increment(ref _unfinished)}";

    public void Create()
    {
        _disk.CreateDirectory(_directory);
        var parent = _directory.LastIndexOf('/');
        _disk.SyncDirectory(parent < 0 ? "" : _directory[..parent]);
    }

    public IDiskFile Open(string path, bool create = false) => _disk.Open(path, DiskFileMode.Direct, create);

    /// <summary>Gives a file its name in the journal; durable on return.</summary>
    public string Name(string path, long sequence)
    {
        var named = PathOf(sequence);
        Invariant.Require(!_disk.Exists(named));
        _disk.Rename(path, named);
        if (_options.Planted != PlantedFault.SkipDirectorySync)
            Sync();
        return named;
    }

    public void Sync() => _disk.SyncDirectory(_directory);

    public void DeleteIfPresent(string path)
    {
        if (_disk.Exists(path))
            _disk.Delete(path);
    }

    /// <summary>Files whose making was cut off.</summary>
    public List<string> Unfinished() =>
        [
            .. _disk
                .List(_directory)
                .Where(name => name.StartsWith(UnfinishedPrefix, StringComparison.Ordinal))
                .Select(name => $"{_directory}/{name}"),
        ];

    /// <summary>
    /// Every file with a sequence for a name, ascending. Throws <see cref="UnsupportedFormatException"/> for one of another
    /// version, and, unless
    /// the options tolerate it, for one of another journal at or past the sequence that matters (what is before it is never read).
    /// </summary>
    public List<JournalFileSummary> Scan(long from)
    {
        var files = new List<JournalFileSummary>();
        using var block = new AlignedBuffer();
        block.Reserve(RecordLayout.Alignment);
        foreach (var name in _disk.List(_directory))
        {
            if (
                name.Length == NameLength
                && long.TryParse(name, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var sequence)
                && sequence > 0
            )
                files.Add(Summarize($"{_directory}/{name}", sequence, block.Pointer));
        }
        files.Sort((a, b) => a.Sequence.CompareTo(b.Sequence));
        var foreign = files.Find(file => file.State == JournalFileState.Foreign && file.Sequence >= from);
        if (foreign is not null)
            throw new UnsupportedFormatException(
                Shown(foreign.Path),
                $"it belongs to the journal {foreign.Header.JournalId}, not to this environment's, {_options.JournalId}."
            );
        return files;
    }

    private JournalFileSummary Summarize(string path, long sequence, byte* block)
    {
        using var file = Open(path);
        var length = file.Length;
        new Span<byte>(block, RecordLayout.Alignment).Clear();
        var read = file.ReadAt(0, block, RecordLayout.Alignment);
        var state = StateOf(path, sequence, block, read, out var header);
        return new JournalFileSummary(sequence, path, length, state, header);
    }

    private JournalFileState StateOf(string path, long sequence, byte* block, int read, out JournalFileHeader header)
    {
        header = default;
        if (new ReadOnlySpan<byte>(block, RawFileHeader.Bytes).IndexOfAnyExcept((byte)0) < 0)
            return JournalFileState.Spare;
        var raw = (RawFileHeader*)block;
        if (read < RawFileHeader.Bytes || raw->Magic != RawFileHeader.ExpectedMagic || raw->Checksum != RawFileHeader.ChecksumOf(block))
            return JournalFileState.BadHeader;
        if (raw->Version != RawFileHeader.ExpectedVersion)
            throw new UnsupportedFormatException(
                Shown(path),
                $"its format version is {raw->Version}, this program reads version {RawFileHeader.ExpectedVersion}."
            );
        if (raw->Unit is not (512 or 4096))
            throw new UnsupportedFormatException(Shown(path), $"its blocks have {raw->Unit} bytes.");
        header = JournalFileHeader.From(block);
        if (header.JournalId != _options.JournalId)
            return JournalFileState.Foreign;
        return header.Sequence == sequence ? JournalFileState.InUse : JournalFileState.Spare;
    }
}

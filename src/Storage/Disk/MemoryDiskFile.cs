namespace Jackdaw.Storage.Disk;

/// <summary>An open file of a <see cref="MemoryDisk"/>.</summary>
internal sealed unsafe class MemoryDiskFile : IDiskFile
{
    private readonly DiskFileMode _mode;
    private MemoryFileContent? _content;
    private bool _mapped;

    public MemoryDiskFile(string path, string fullPath, DiskFileMode mode, MemoryFileContent content)
    {
        Path = path;
        FullPath = fullPath;
        _mode = mode;
        _content = content;
        content.AddReference();
    }

    public string Path { get; }

    public string FullPath { get; }

    public long Length => Content.Length;

    private MemoryFileContent Content => _content ?? throw new ObjectDisposedException(Path);

    public int ReadAt(long offset, byte* buffer, int length)
    {
        Invariant.Require(offset >= 0 && length >= 0);
        return Content.Read(offset, buffer, length);
    }

    public int WriteAt(long offset, byte* buffer, int length)
    {
        Invariant.Require(offset >= 0 && length >= 0);
        Content.Write(offset, buffer, length);
        return length;
    }

    public void Sync() => _ = Content;

    public void BeginWriteBack(long offset, long length) => _ = Content;

    public void WaitForWriteBack(long offset, long length) => _ = Content;

    public void Allocate(long offset, long length)
    {
        Invariant.Require(offset >= 0 && length > 0);
        Content.Allocate(offset, length);
    }

    public void Punch(long offset, long length)
    {
        Invariant.Require(offset >= 0 && length > 0 && offset + length <= Length);
        Content.Punch(offset, length);
    }

    public bool TryFindHole(long offset, out long holeOffset, out long holeLength) =>
        Content.TryFindHole(offset, out holeOffset, out holeLength);

    /// <summary>The file's own memory: it never moves, and the file cannot outgrow it, whatever is asked for.</summary>
    public byte* Map(long reserveBytes)
    {
        Invariant.Require(_mode == DiskFileMode.Data && !_mapped);
        _mapped = true;
        return Content.Start;
    }

    public void Populate(long offset, long length) =>
        Invariant.Require(_mapped && offset >= 0 && length >= 0 && offset + length <= Content.Length);

    public void Dispose()
    {
        Interlocked.Exchange(ref _content, null)?.RemoveReference();
    }
}

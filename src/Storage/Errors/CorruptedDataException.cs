namespace Jackdaw.Storage.Errors;

/// <summary>Bytes on the disk are not what the engine wrote: a checksum, magic or structural rule failed. Carries file and
/// offset.</summary>
public sealed class CorruptedDataException : StorageException
{
    private readonly string _what;

    /// <summary>Creates the error: the file, the offset in bytes, and what is wrong there.</summary>
    /// <param name="path">The damaged file.</param>
    /// <param name="offset">Bytes from the start of the file.</param>
    /// <param name="what">The check that failed.</param>
    /// <param name="isShared">See <see cref="IsShared"/>.</param>
    public CorruptedDataException(string path, long offset, string what, bool isShared = false)
        : this(path, offset, what, isShared, null) { }

    private CorruptedDataException(string path, long offset, string what, bool isShared, Exception? inner)
        : base($"'{path}' is damaged at offset {offset}: {what}", inner)
    {
        Path = path;
        Offset = offset;
        IsShared = isShared;
        _what = what;
    }

    /// <summary>The damaged file.</summary>
    public string Path { get; }

    /// <summary>Bytes from the start of the file.</summary>
    public long Offset { get; }

    /// <summary>True when every transaction needs the damaged page: the meta page, the catalog or a page of the free-space bitmap. A writer
    /// that meets such damage cannot go on; damage of any other page concerns only those who need that page.</summary>
    public bool IsShared { get; }

    /// <summary>Returns the same error for a page that every transaction needs.</summary>
    internal CorruptedDataException AsShared(string structure) =>
        new(Path, Offset, $"{_what} (a page of {structure})", isShared: true, this);
}

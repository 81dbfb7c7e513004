namespace Jackdaw.Storage.Errors;

/// <summary>Bytes on the disk are not what the engine wrote: a checksum, magic or structural rule failed. Carries file and
/// offset.</summary>
public sealed class CorruptedDataException : StorageException
{
    /// <summary>Creates the error: the file, the offset in bytes, and what is wrong there.</summary>
    public CorruptedDataException(string path, long offset, string what)
        : base($"'{path}' is damaged at offset {offset}: {what}")
    {
        Path = path;
        Offset = offset;
    }

    /// <summary>The damaged file.</summary>
    public string Path { get; }

    /// <summary>Bytes from the start of the file.</summary>
    public long Offset { get; }
}

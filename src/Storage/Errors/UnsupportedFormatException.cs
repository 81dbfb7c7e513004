namespace Jackdaw.Storage.Errors;

/// <summary>The folder was written by another version of the format (or another journal's environment); it is left untouched.</summary>
public sealed class UnsupportedFormatException : StorageException
{
    public UnsupportedFormatException(string path, string reason)
        : base($"'{path}' cannot be opened: {reason}") => Path = path;

    public string Path { get; }
}

namespace Jackdaw.Storage.Errors;

/// <summary>The folder was written by another version of the format (or another journal's environment); it is left untouched.</summary>
public sealed class UnsupportedFormatException : StorageException
{
    /// <summary>Creates the error: the file, and which version it has.</summary>
    public UnsupportedFormatException(string path, string reason)
        : base($"'{path}' cannot be opened: {reason}") => Path = path;

    /// <summary>The file whose format is not supported.</summary>
    public string Path { get; }
}

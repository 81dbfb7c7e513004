namespace Jackdaw.Documents.Errors;

/// <summary>A copy cannot be made in this folder: it is taken, its parent is missing, it is no absolute path, or it lies in the
/// server's own data folder.</summary>
public sealed class CopyTargetException : Exception
{
    public CopyTargetException(string folder, string reason)
        : base($"No copy can be made in '{folder}': {reason}") => Folder = folder;

    public string Folder { get; }
}

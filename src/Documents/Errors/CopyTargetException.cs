namespace Jackdaw.Documents.Errors;

/// <summary>A copy cannot be made in this folder: it is taken, its parent is missing, it is no absolute path, or it lies in the
/// server's own data folder.</summary>
public sealed class CopyTargetException : Exception
{
    /// <summary>Creates the error for a target folder, with the reason why it cannot take a copy.</summary>
    public CopyTargetException(string folder, string reason)
        : base($"No copy can be made in '{folder}': {reason}") => Folder = folder;

    /// <summary>The target folder.</summary>
    public string Folder { get; }
}

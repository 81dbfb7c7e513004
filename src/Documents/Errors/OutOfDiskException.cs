namespace Jackdaw.Documents.Errors;

/// <summary>The disk has no room for the transaction an operation was in: nothing of it is kept. Reads go on; writing resumes
/// once there is room.</summary>
public sealed class OutOfDiskException : OperationException
{
    /// <summary>Creates the error for a database, with the failure of the disk.</summary>
    public OutOfDiskException(string database, Exception cause)
        : base($"Database '{database}' has no disk space left for this write; nothing of it was kept. {cause.Message}", cause) { }
}

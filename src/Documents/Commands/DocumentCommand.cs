namespace Jackdaw.Documents.Commands;

/// <summary>One write of one document (or of the documents under a prefix), as part of a <see cref="BatchOperation"/>.</summary>
public abstract class DocumentCommand
{
    private protected DocumentCommand() { }

    /// <summary>Bytes held while it waits.</summary>
    public abstract long SizeBytes { get; }
}

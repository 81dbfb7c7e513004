namespace Jackdaw.Documents.Commands;

/// <summary>
/// A unit of writing: all of it or nothing. Submitted once (<see cref="Database.SubmitAsync"/>), executed by the database's transaction merger,
/// perhaps several times, and answered once when what it saw and wrote is durable. It keeps its inputs until then: memory that it was given must
/// stay as it is until the submission has been awaited.
/// </summary>
public abstract class MergedOperation
{
    private protected MergedOperation() { }

    /// <summary>Bytes that it holds while it waits; counts against the queue's bound.</summary>
    public abstract long SizeBytes { get; }
}

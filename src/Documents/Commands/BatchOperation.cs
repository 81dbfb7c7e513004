namespace Jackdaw.Documents.Commands;

/// <summary>
/// Commands that are executed in order, all or none. Pooled: <see cref="Rent"/> one, add commands, submit and await it, read the results out of the
/// commands, then <see cref="Return"/> it, which also gives its commands back.
/// </summary>
public sealed class BatchOperation : MergedOperation
{
    private readonly List<DocumentCommand> _commands = [];

    private BatchOperation() { }

    public static BatchOperation Rent() => new();

    public IReadOnlyList<DocumentCommand> Commands => _commands;

    public override long SizeBytes => throw new NotSupportedException();

    /// <summary>A new put, to be filled in.</summary>
    public PutCommand AddPut() => throw new NotSupportedException();

    /// <summary>A new delete, to be filled in.</summary>
    public DeleteCommand AddDelete() => throw new NotSupportedException();

    /// <summary>Gives the operation and its commands back. Only after the submission has been awaited, or when it was never submitted.</summary>
    public void Return() => throw new NotSupportedException();
}

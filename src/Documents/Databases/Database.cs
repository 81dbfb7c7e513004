using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Reading;

namespace Jackdaw.Documents;

/// <summary>An open database. Thread-safe. After it was disabled or deleted every member that reads or writes throws a <see cref="Errors.DatabaseUnavailableException"/>.</summary>
public sealed class Database
{
    internal Database() { }

    /// <summary>In the casing of its creation.</summary>
    public string Name => throw new NotSupportedException();

    public Guid Id => throw new NotSupportedException();

    /// <summary>The id as change vectors carry it: 22 characters of base64.</summary>
    public string IdText => throw new NotSupportedException();

    public string NodeTag => throw new NotSupportedException();

    public Limits Limits => throw new NotSupportedException();

    /// <summary>
    /// Hands an operation to the transaction merger; the task ends when its outcome is durable. The operation's results are then in the operation.
    /// Await it exactly once. Continuations run on the thread pool, several callers' one after another: do not block in them.
    /// Errors: an <see cref="Errors.OperationException"/> (this operation alone was refused), <see cref="Errors.MergerQueueFullException"/> (thrown at once),
    /// <see cref="Storage.Errors.CommitOutcomeUnknownException"/>, <see cref="Storage.Errors.EnvironmentPoisonedException"/>, <see cref="Errors.DatabaseUnavailableException"/>.
    /// </summary>
    public ValueTask SubmitAsync(MergedOperation operation) => throw new NotSupportedException();

    /// <summary>Opens a reader at the last durable transaction.</summary>
    /// <param name="purpose">Names the reader in statistics, e.g. "GET /docs".</param>
    public DocumentsReader OpenRead(string purpose) => throw new NotSupportedException();

    public DatabaseStatistics Statistics() => throw new NotSupportedException();

    /// <summary>The highest etag that is durable.</summary>
    public long LastDurableEtag => throw new NotSupportedException();

    /// <summary>
    /// Raised on the thread pool after callers were answered. It carries nothing: read forward by etag from your own position. Several
    /// transactions may share one raise. Handlers must be quick and must not throw.
    /// </summary>
    public event Action? Changed { add => throw new NotSupportedException(); remove => throw new NotSupportedException(); }
}

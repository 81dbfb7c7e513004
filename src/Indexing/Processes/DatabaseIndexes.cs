using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Processes;

/// <summary>The indexes of a database that is open: its companion (<see cref="Documents.Database.Attach"/>). Thread-safe.</summary>
public sealed class DatabaseIndexes : IAsyncDisposable
{
    internal DatabaseIndexes() { }

    /// <summary>All indexes, also those that are built beside another one, by name.</summary>
    public IReadOnlyList<Index> All => throw new NotImplementedException();

    /// <summary>The index of a name, in any casing; null: none.</summary>
    public Index? Find(string name) => throw new NotImplementedException();

    /// <summary>
    /// Returns an automatic index that has all the fields, making or extending one if there is none; the answer comes when its definition is durable,
    /// not when it has caught up. Errors: <c>TooManyIndexesException</c> (Limits.MaxAutoIndexes).
    /// </summary>
    public Task<Index> EnsureAutomaticAsync(AutoIndexDefinition wanted, CancellationToken cancellation) =>
        throw new NotImplementedException();

    /// <summary>An automatic index that has all the fields; null: there is none yet. What a query looks at first.</summary>
    public Index? FindAutomatic(AutoIndexDefinition wanted) => throw new NotImplementedException();

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => throw new NotImplementedException();
}

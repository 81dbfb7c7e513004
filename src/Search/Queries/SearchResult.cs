namespace Jackdaw.Search.Queries;

/// <summary>The answer of a query. Belongs to its reader. Dispose of it to give pooled memory back.</summary>
public abstract class SearchResult : IDisposable
{
    /// <summary>All matches, exactly, whatever was skipped and taken.</summary>
    public abstract long Total { get; }

    /// <summary>Fills in the ids of the next matches; returns how many, 0 at the end.</summary>
    public abstract int Read(Span<long> entries);

    /// <summary>Where the last entry that was read stands, to resume behind it in another transaction.</summary>
    public abstract SearchPosition Position { get; }

    /// <summary>How the answer was found, for people: the tree of matches with their sizes, how the total was counted, how the order was
    /// made.</summary>
    public abstract string Explain();

    /// <inheritdoc/>
    public abstract void Dispose();
}

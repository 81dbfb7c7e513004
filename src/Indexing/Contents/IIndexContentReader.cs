using Jackdaw.Search.Reading;

namespace Jackdaw.Indexing.Contents;

/// <summary>An index's content at one moment. Of one thread.</summary>
internal interface IIndexContentReader : IDisposable
{
    /// <summary>The search engine's reader. Errors: an <see cref="InvalidOperationException"/> where a test has put something else in its
    /// place.</summary>
    SearchReader Search { get; }

    /// <summary>The commit that it sees. After a roll back its number is given to another commit.</summary>
    long TransactionId { get; }

    /// <summary>Entries in the index.</summary>
    long EntryCount { get; }

    /// <summary>A value that was stored in the transaction of a batch, copied; null: none.</summary>
    byte[]? State(string name);
}

namespace Jackdaw.Indexing.Contents;

/// <summary>What an index has in its environment, as its process needs it.</summary>
internal interface IIndexContent
{
    /// <summary>Begins collecting changes.</summary>
    IIndexBatch BeginBatch();

    /// <summary>Opens a reader at the newest commit.</summary>
    IIndexContentReader OpenRead(string purpose);
}

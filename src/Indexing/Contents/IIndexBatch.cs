using Jackdaw.Indexing.Mapping;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Indexing.Contents;

/// <summary>Changes of an index, collected and then applied in one transaction. Of one thread.</summary>
internal interface IIndexBatch : IEntryWriter, IDisposable
{
    /// <summary>Native memory that it takes.</summary>
    long Bytes { get; }

    /// <summary>All entries of a source will be replaced by those that follow.</summary>
    void BeginSource(ReadOnlySpan<byte> sourceKey);

    /// <summary>The source has no entries any more.</summary>
    void DeleteSource(ReadOnlySpan<byte> sourceKey);

    /// <summary>Takes back everything since <see cref="BeginSource"/>.</summary>
    void AbandonSource();

    /// <summary>Stores a value of the owner in the same transaction.</summary>
    void SetState(string name, ReadOnlySpan<byte> value);

    /// <summary>Applies everything in the transaction, which the caller commits.</summary>
    void Apply(WriteTransaction transaction);
}

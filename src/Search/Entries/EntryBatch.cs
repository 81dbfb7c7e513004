using Jackdaw.Storage.Transactions;

namespace Jackdaw.Search.Entries;

/// <summary>
/// Changes to an index, collected in native memory and applied in one pass. Of one thread. Order of calls:
/// <c>BeginSource (BeginEntry Add…* )*</c> or <c>DeleteSource</c>, again and again, then <see cref="Apply"/>. A source that is named twice has
/// the entries of the last time.
/// </summary>
public sealed class EntryBatch : IDisposable
{
    internal EntryBatch() { }

    /// <summary>Native memory that the batch takes.</summary>
    public long Bytes => throw new NotImplementedException();

    /// <summary>Returns the id of a field, making the field with these options if the index has none of this name. Errors:
    /// a <see cref="SearchQueryException"/> when there are 65,000 fields, or the name has more than 512 bytes.</summary>
    public ushort Field(string name, FieldOptions options) => throw new NotImplementedException();

    /// <summary>All entries of a source will be replaced by those that follow: none follows means it has none.</summary>
    public void BeginSource(ReadOnlySpan<byte> sourceKey) => throw new NotImplementedException();

    /// <summary>The source has no entries any more.</summary>
    public void DeleteSource(ReadOnlySpan<byte> sourceKey) => throw new NotImplementedException();

    /// <summary>Takes back everything since <see cref="BeginSource"/>, which then was never called: the document could not be mapped.</summary>
    public void AbandonSource() => throw new NotImplementedException();

    /// <summary>The next entry of the source. Values are added to it in any order of fields.</summary>
    public void BeginEntry() => throw new NotImplementedException();

    /// <summary>Adds a text, which the field's analyzer takes apart. Invalid UTF-8 counts as U+FFFD.</summary>
    public void AddText(ushort field, ReadOnlySpan<byte> utf8) => throw new NotImplementedException();

    /// <summary>Adds a number.</summary>
    public void AddNumber(ushort field, SearchNumber number) => throw new NotImplementedException();

    /// <summary>Adds null.</summary>
    public void AddNull(ushort field) => throw new NotImplementedException();

    /// <summary>The field is an array without elements.</summary>
    public void AddEmptyArray(ushort field) => throw new NotImplementedException();

    /// <summary>The entry's stored section, opaque here.</summary>
    public void SetStored(ReadOnlySpan<byte> bytes) => throw new NotImplementedException();

    /// <summary>Sets a value of the owner in the same transaction: how far it has read, for example.</summary>
    public void SetState(string name, ReadOnlySpan<byte> value) => throw new NotImplementedException();

    /// <summary>
    /// Applies everything in the transaction, which the caller commits. The batch is empty afterwards and can be used again.
    /// Errors: those of Storage; the transaction is then to be dropped, and the batch is empty.
    /// </summary>
    public void Apply(WriteTransaction transaction) => throw new NotImplementedException();

    /// <inheritdoc/>
    public void Dispose() => throw new NotImplementedException();
}

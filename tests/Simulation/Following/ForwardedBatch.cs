using Jackdaw.Indexing.Contents;
using Jackdaw.Search;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Simulation.Following;

/// <summary>A batch that hands everything on; tests override what they disturb.</summary>
internal abstract class ForwardedBatch(IIndexBatch batch) : IIndexBatch
{
    public virtual long Bytes => batch.Bytes;

    public virtual ushort Field(string name, FieldOptions options) => batch.Field(name, options);

    public virtual void BeginSource(ReadOnlySpan<byte> sourceKey) => batch.BeginSource(sourceKey);

    public virtual void DeleteSource(ReadOnlySpan<byte> sourceKey) => batch.DeleteSource(sourceKey);

    public virtual void AbandonSource() => batch.AbandonSource();

    public virtual void BeginEntry() => batch.BeginEntry();

    public virtual void AddText(ushort field, ReadOnlySpan<byte> utf8) => batch.AddText(field, utf8);

    public virtual void AddNumber(ushort field, SearchNumber number) => batch.AddNumber(field, number);

    public virtual void AddNull(ushort field) => batch.AddNull(field);

    public virtual void AddEmptyArray(ushort field) => batch.AddEmptyArray(field);

    public virtual void SetState(string name, ReadOnlySpan<byte> value) => batch.SetState(name, value);

    public virtual void Apply(WriteTransaction transaction) => batch.Apply(transaction);

    public void Dispose() => batch.Dispose();
}

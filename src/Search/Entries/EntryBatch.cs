using Jackdaw.Search.Batches;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Fields;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Search.Entries;

/// <summary>
/// Changes to an index, collected in native memory and applied in one pass. Of one thread. Order of calls:
/// <c>BeginSource (BeginEntry Add…* )*</c> or <c>DeleteSource</c>, again and again, then <see cref="Apply"/>. A source that is named twice
/// has the entries of the last time.
/// </summary>
public sealed class EntryBatch : IDisposable
{
    private readonly NativeArena _arena = new("index batches");
    private readonly FieldDirectory _fields;
    private readonly BatchContent _content;
    private readonly EntryCollector _collector;
    private readonly BatchApplier _applier;
    private bool _hasSource;

    /// <summary>What there was when the source began.</summary>
    private (int Entries, int Fields, int Postings, int Positions) _before;

    internal EntryBatch(FieldDirectory fields, Guid instanceId, ulong seed)
    {
        _fields = fields;
        _content = new BatchContent(_arena, fields, seed);
        _collector = new EntryCollector(_content, _arena);
        _applier = new BatchApplier(_content, instanceId, _arena);
    }

    /// <summary>Native memory that the batch takes, in bytes. Applying it takes about as much again, for a moment.</summary>
    public long Bytes => _arena.AllocatedBytes;

    /// <summary>Returns the id of a field, making the field with these options if the index has none of this name. Errors:
    /// a <see cref="SearchQueryException"/> when there are 65,000 fields, or the name has more than 512 bytes.</summary>
    public ushort Field(string name, FieldOptions options) => _fields.Get(name, options).Id;

    /// <summary>All entries of a source will be replaced by those that follow: none follows means it has none.</summary>
    public void BeginSource(ReadOnlySpan<byte> sourceKey)
    {
        if (sourceKey.IsEmpty)
            throw new ArgumentException("A source key has at least one byte.", nameof(sourceKey));
        if (sourceKey.Length > SearchLimits.MaxSourceKeyBytes)
            throw new LimitExceededException(
                "A source key in bytes",
                sourceKey.Length,
                SearchLimits.MaxSourceKeyBytes,
                "SearchLimits.MaxSourceKeyBytes, fixed by the format"
            );
        _collector.End();
        _hasSource = true;
        _before = (_content.Entries.Count, _content.EntryFields.Count, _content.Postings.Count, _content.Positions.Count);
        _content.Sources.Add(
            new PendingSource
            {
                KeyAt = _content.Bytes.Count,
                KeyBytes = sourceKey.Length,
                FirstEntry = _content.Entries.Count,
            }
        );
        _content.Bytes.AddRange(sourceKey);
    }

    /// <summary>The source has no entries any more.</summary>
    public void DeleteSource(ReadOnlySpan<byte> sourceKey) => BeginSource(sourceKey);

    /// <summary>Takes back everything since <see cref="BeginSource"/>, which then was never called: the document could not be
    /// mapped.</summary>
    public void AbandonSource()
    {
        Invariant.Require(_hasSource, "no source has begun");
        _hasSource = false;
        _collector.Abandon();
        _content.Sources.Truncate(_content.Sources.Count - 1);
        // The bytes stay: new terms lie among them, which other sources may come to have.
        _content.Entries.Truncate(_before.Entries);
        _content.EntryFields.Truncate(_before.Fields);
        _content.Postings.Truncate(_before.Postings);
        _content.Positions.Truncate(_before.Positions);
    }

    /// <summary>The next entry of the source. Values are added to it in any order of fields.</summary>
    public void BeginEntry()
    {
        Invariant.Require(_hasSource, "no source has begun");
        _collector.Begin();
        _content.Sources[_content.Sources.Count - 1].Entries++;
    }

    /// <summary>Adds a text, which the field's analyzer takes apart. Invalid UTF-8 counts as U+FFFD.</summary>
    public void AddText(ushort field, ReadOnlySpan<byte> utf8) => _collector.AddText(field, utf8);

    /// <summary>Adds a number. Errors: <see cref="ArgumentOutOfRangeException"/> for NaN and infinities.</summary>
    public void AddNumber(ushort field, SearchNumber number) => _collector.AddNumber(field, number);

    /// <summary>Adds null.</summary>
    public void AddNull(ushort field) => _collector.AddMark(field, TermMark.Null);

    /// <summary>The field is an array without elements.</summary>
    public void AddEmptyArray(ushort field) => _collector.AddMark(field, TermMark.EmptyArray);

    /// <summary>The entry's stored section, opaque here.</summary>
    public void SetStored(ReadOnlySpan<byte> bytes) => _collector.SetStored(bytes);

    /// <summary>Sets a value of the owner in the same transaction: how far it has read, for example.</summary>
    public void SetState(string name, ReadOnlySpan<byte> value)
    {
        if (IndexMeta.StateKey(name).Length > SearchLimits.MaxStateNameBytes)
            throw new ArgumentException($"A state's name has at most {SearchLimits.MaxStateNameBytes} bytes.", nameof(name));
        _content.States[name] = value.ToArray();
    }

    /// <summary>
    /// Applies everything in the transaction, which the caller commits. The batch is empty afterwards and can be used again.
    /// Errors: those of Storage; the transaction is then to be dropped, and the batch is empty.
    /// </summary>
    public void Apply(WriteTransaction transaction)
    {
        ArgumentNullException.ThrowIfNull(transaction);
        try
        {
            _collector.End();
            _applier.Apply(transaction);
        }
        finally
        {
            _hasSource = false;
            _collector.Empty(BatchContent.KeptBytes);
            _applier.Empty();
            _content.Empty();
        }
    }

    /// <summary>Gives back all memory. What was not applied is forgotten.</summary>
    public void Dispose()
    {
        _collector.Dispose();
        _applier.Dispose();
        _content.Dispose();
        _arena.Dispose();
    }
}

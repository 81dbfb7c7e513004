using System.Runtime.CompilerServices;
using Jackdaw.Search.Analysis;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Fields;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Search.Batches;

/// <summary>Collects the values of one entry after the other into a <see cref="BatchContent"/>.</summary>
internal sealed class EntryCollector : ITermSink, IDisposable
{
    private readonly BatchContent _content;
    private readonly NativeList<PendingToken> _tokens;
    private readonly NativeList<PendingPosting> _regrouped;

    /// <summary>By field id.</summary>
    private FieldPlace[] _places = new FieldPlace[16];
    private int _entry;
    private int _firstPosting;
    private int _current = -1;
    private bool _isInterleaved;
    private bool _isOpen;

    /// <summary>While a text is analyzed: its field.</summary>
    private KnownField? _analyzed;
    private uint _firstPosition;
    private uint _lastPosition;

    public EntryCollector(BatchContent content, NativeArena arena)
    {
        _content = content;
        _tokens = new NativeList<PendingToken>(arena);
        _regrouped = new NativeList<PendingPosting>(arena);
    }

    public void Begin()
    {
        End();
        _entry++;
        _isOpen = true;
        _isInterleaved = false;
        _current = -1;
        _firstPosting = _content.Postings.Count;
        _tokens.Truncate(0);
        _content.Entries.Add(new PendingEntry { FirstField = _content.EntryFields.Count });
    }

    public void AddText(ushort field, ReadOnlySpan<byte> utf8)
    {
        if (utf8.Length > SearchLimits.MaxValueBytes)
            throw new LimitExceededException(
                "A text in bytes",
                utf8.Length,
                SearchLimits.MaxValueBytes,
                "SearchLimits.MaxValueBytes, fixed"
            );
        Touch(field);
        _analyzed = _places[field].Known!;
        ref var place = ref _content.EntryFields[_current];
        _firstPosition = _lastPosition = place.NextPosition;
        _analyzed.Analyzer.Analyze(utf8, this);
        _content.EntryFields[_current].NextPosition = _lastPosition + SearchLimits.PositionGap;
    }

    [SkipLocalsInit]
    void ITermSink.Add(ReadOnlySpan<byte> term, uint position)
    {
        Span<byte> key = stackalloc byte[TextKey.MaxBytes];
        int number = _content.Terms.Intern(_analyzed!.Id, TermKind.Text, key[..TextKey.Write(term, key)]);
        int posting = AddPosting(number, _analyzed.Options.KeepsFrequencies);
        if (!_analyzed.Options.KeepsFrequencies)
            return;
        ref var field = ref _content.EntryFields[_current];
        field.Length++;
        if (!_analyzed.Options.KeepsPositions)
            return;
        _lastPosition = _firstPosition + position;
        field.Hash = TermTable.Mix(TermTable.Mix(field.Hash, _content.Terms[number].Hash), _lastPosition);
        _tokens.Add(new PendingToken { Posting = posting, Position = _lastPosition });
    }

    [SkipLocalsInit]
    public void AddNumber(ushort field, SearchNumber number)
    {
        if (!double.IsFinite(number.Value))
            throw new ArgumentOutOfRangeException(
                nameof(number),
                number.Value,
                "An indexed number is finite: NaN and infinities are no JSON numbers."
            );
        Touch(field);
        Span<byte> key = stackalloc byte[NumberKey.MaxBytes];
        AddUncounted(field, _content.Terms.Intern(field, TermKind.Number, key[..NumberKey.Write(number, key)]));
    }

    public void AddMark(ushort field, TermMark mark)
    {
        Touch(field);
        AddUncounted(field, _content.Terms.Intern(field, TermKind.Mark, TextKey.Of(mark)));
    }

    public void SetStored(ReadOnlySpan<byte> bytes)
    {
        Invariant.Require(_isOpen, "no entry has begun");
        if (bytes.Length > SearchLimits.MaxStoredBytes)
            throw new LimitExceededException(
                "A stored section in bytes",
                bytes.Length,
                SearchLimits.MaxStoredBytes,
                "SearchLimits.MaxStoredBytes, fixed"
            );
        ref var entry = ref _content.Entries[_content.Entries.Count - 1];
        entry.StoredAt = _content.Bytes.Count;
        entry.StoredBytes = bytes.Length;
        bytes.CopyTo(_content.Bytes.AddMany(bytes.Length));
    }

    /// <summary>Ends the entry that has begun, if one has: brings its fields into order and its positions together.</summary>
    public void End()
    {
        if (!_isOpen)
            return;
        _isOpen = false;
        ref var entry = ref _content.Entries[_content.Entries.Count - 1];
        entry.Fields = _content.EntryFields.Count - entry.FirstField;
        if (_tokens.Count > 0)
            GatherPositions();
        var fields = _content.EntryFields.Slice(entry.FirstField, entry.Fields);
        if (_isInterleaved)
            GroupPostings(fields);
        else
            NoteFirstPostings(fields);
        bool isAscending = true;
        for (int i = 0; i < fields.Length; i++)
        {
            isAscending &= i == 0 || fields[i - 1].Field < fields[i].Field;
            if (fields[i].Length == 0)
                fields[i].Hash = 0; // without words there are no positions to compare
        }
        if (!isAscending)
            fields.Sort(static (a, b) => a.Field.CompareTo(b.Field));
    }

    /// <summary>Forgets the entry that has begun.</summary>
    public void Abandon()
    {
        _isOpen = false;
        _entry++;
    }

    /// <summary>Forgets what it knows of the batch's terms, which are gone.</summary>
    public void Empty(long keptBytes)
    {
        _isOpen = false;
        _entry = 0;
        _tokens.Empty(keptBytes);
        _regrouped.Empty(keptBytes);
        Array.Clear(_places);
    }

    public void Dispose()
    {
        _tokens.Dispose();
        _regrouped.Dispose();
    }

    /// <summary>Makes the field the current one of the entry, and adds it and its mark when it is new there.</summary>
    private void Touch(ushort field)
    {
        Invariant.Require(_isOpen, "no entry has begun");
        if (field >= _places.Length)
            Array.Resize(ref _places, Math.Max(field + 1, Math.Min(2 * _places.Length, ushort.MaxValue + 1)));
        ref var place = ref _places[field];
        if (place.Entry == _entry)
        {
            _isInterleaved |= place.At != _current;
            _current = place.At;
            return;
        }
        if (place.Known is null)
        {
            place.Known = _content.Fields.Of(field);
            place.ExistsTerm = _content.Terms.Intern(field, TermKind.Mark, TextKey.Of(TermMark.Exists));
        }
        place.Entry = _entry;
        place.At = _current = _content.EntryFields.Count;
        _content.EntryFields.Add(new PendingField { Field = field });
        AddPosting(place.ExistsTerm, counts: false);
    }

    /// <summary>Adds a number or a mark. It has no position, but an entry that differs by it alone must not have the same hash.</summary>
    private void AddUncounted(ushort field, int number)
    {
        AddPosting(number, counts: false);
        if (!_places[field].Known!.Options.KeepsPositions)
            return;
        ref var pending = ref _content.EntryFields[_current];
        pending.Hash = TermTable.Mix(pending.Hash, _content.Terms[number].Hash);
    }

    private int AddPosting(int number, bool counts)
    {
        ref var term = ref _content.Terms[number];
        if (term.LastEntry == _entry)
        {
            if (counts)
                _content.Postings[term.LastPosting].Frequency++;
            return term.LastPosting;
        }
        if (_content.Postings.Count - _firstPosting >= SearchLimits.MaxValuesOfEntry)
            throw new LimitExceededException(
                "The values of one entry",
                _content.Postings.Count - _firstPosting + 1L,
                SearchLimits.MaxValuesOfEntry,
                "SearchLimits.MaxValuesOfEntry, fixed"
            );
        term.LastEntry = _entry;
        term.LastPosting = _content.Postings.Count;
        _content.Postings.Add(new PendingPosting { Term = number, Frequency = 1 });
        _content.EntryFields[_current].Postings++;
        return term.LastPosting;
    }

    /// <summary>Puts the positions of each posting side by side, in the order of the postings.</summary>
    private void GatherPositions()
    {
        var postings = _content.Postings.Slice(_firstPosting, _content.Postings.Count - _firstPosting);
        var tokens = _tokens.Span;
        foreach (ref var posting in postings)
            posting.PositionsAt = 0;
        foreach (ref readonly var token in tokens)
            postings[token.Posting - _firstPosting].PositionsAt++;
        int at = _content.Positions.Count;
        foreach (ref var posting in postings)
        {
            int count = posting.PositionsAt;
            posting.PositionsAt = at;
            at += count;
        }
        int first = _content.Positions.Count;
        var positions = _content.Positions.AddMany(tokens.Length);
        foreach (ref readonly var token in tokens)
            positions[postings[token.Posting - _firstPosting].PositionsAt++ - first] = token.Position;
        // Each went on by as many as it has.
        for (int i = postings.Length - 1; i > 0; i--)
            postings[i].PositionsAt = postings[i - 1].PositionsAt;
        postings[0].PositionsAt = first;
    }

    private void NoteFirstPostings(Span<PendingField> fields)
    {
        int at = _firstPosting;
        foreach (ref var field in fields)
        {
            field.FirstPosting = at;
            at += field.Postings;
        }
    }

    /// <summary>The values of different fields came in turns: puts each field's postings side by side.</summary>
    private void GroupPostings(Span<PendingField> fields)
    {
        NoteFirstPostings(fields);
        var postings = _content.Postings.Slice(_firstPosting, _content.Postings.Count - _firstPosting);
        var from = _regrouped.Reset(postings.Length);
        postings.CopyTo(from);
        foreach (ref readonly var posting in from)
        {
            ref var field = ref _content.EntryFields[_places[_content.Terms[posting.Term].Field].At];
            postings[field.FirstPosting++ - _firstPosting] = posting;
        }
        foreach (ref var field in fields)
            field.FirstPosting -= field.Postings;
    }

    /// <summary>What the collector knows of a field.</summary>
    private struct FieldPlace
    {
        public KnownField? Known;

        /// <summary>The last entry that had the field, counted from 1.</summary>
        public int Entry;

        /// <summary>Where that entry has it.</summary>
        public int At;

        public int ExistsTerm;
    }
}

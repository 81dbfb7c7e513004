using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Journal;

/// <summary>
/// The page entries of a record's payload, to be walked with foreach. An entry that breaks the format's rules is a
/// <see cref="Errors.CorruptedDataException"/> naming file and record.
/// </summary>
internal readonly unsafe struct JournalEntries
{
    /// <summary>Page number, run length, form.</summary>
    public const int EntryHeaderBytes = 14;

    private readonly byte* _payload;
    private readonly long _bytes;
    private readonly int _count;
    private readonly JournalSource _source;

    public JournalEntries(byte* payload, long bytes, int count, JournalSource source)
    {
        _payload = payload;
        _bytes = bytes;
        _count = count;
        _source = source;
    }

    public int Count => _count;

    /// <summary>Walks all entries, so that a later walk throws nothing.</summary>
    public void Check()
    {
        foreach (var _ in this) { }
    }

    public Enumerator GetEnumerator() => new(this);

    public struct Enumerator
    {
        private readonly JournalEntries _entries;
        private byte* _next;
        private readonly byte* _end;
        private int _left;
        private long _previousPage;

        public Enumerator(JournalEntries entries)
        {
            _entries = entries;
            _next = entries._payload;
            _end = entries._payload + entries._bytes;
            _left = entries._count;
            _previousPage = -1;
        }

        public JournalEntry Current { get; private set; }

        public bool MoveNext()
        {
            if (_left == 0)
            {
                Require(_next == _end, "bytes follow the last page entry");
                return false;
            }
            _left--;
            Require(_end - _next >= EntryHeaderBytes + 2, "a page entry is cut off");
            var pageNumber = Unsafe.ReadUnaligned<long>(_next);
            var runLength = Unsafe.ReadUnaligned<int>(_next + 8);
            var form = (EntryForm)Unsafe.ReadUnaligned<ushort>(_next + 12);
            _next += EntryHeaderBytes;
            Require(pageNumber > _previousPage, "page entries are not in ascending order");
            Require(runLength is > 0 and <= int.MaxValue / PageLayout.PageSize, "a page entry's run is impossible");
            _previousPage = pageNumber;
            Current = form switch
            {
                EntryForm.Whole => ReadWhole(pageNumber, runLength),
                EntryForm.Differences => ReadDifferences(pageNumber, runLength),
                EntryForm.Part or EntryForm.LastPart => ReadPart(pageNumber, runLength, form),
                _ => throw _entries._source.Damaged($"a page entry has the unknown form {(ushort)form}"),
            };
            return true;
        }

        private JournalEntry ReadWhole(long pageNumber, int runLength)
        {
            Require(_end - _next >= 4, "a page entry is cut off");
            var length = Unsafe.ReadUnaligned<int>(_next);
            _next += 4;
            Require(
                length >= 0 && length <= runLength * PageLayout.PageSize && length <= _end - _next,
                "a whole page's length is impossible"
            );
            var entry = new JournalEntry(pageNumber, runLength, EntryForm.Whole, _next, length, 0, _entries._source);
            _next += length;
            return entry;
        }

        private JournalEntry ReadPart(long pageNumber, int runLength, EntryForm form)
        {
            Require(runLength > 1, "a part of a single page");
            Require(_end - _next >= 2 * sizeof(int), "a page entry is cut off");
            var at = Unsafe.ReadUnaligned<int>(_next);
            var length = Unsafe.ReadUnaligned<int>(_next + sizeof(int));
            _next += 2 * sizeof(int);
            Require(
                at >= 0 && length > 0 && (long)at + length <= (long)runLength * PageLayout.PageSize && length <= _end - _next,
                "a part does not lie within its run"
            );
            var entry = new JournalEntry(pageNumber, runLength, form, _next, length, 0, _entries._source) { PartAt = at };
            _next += length;
            return entry;
        }

        private JournalEntry ReadDifferences(long pageNumber, int runLength)
        {
            Require(runLength == 1, "differences of a run");
            var count = Unsafe.ReadUnaligned<ushort>(_next);
            _next += 2;
            var start = _next;
            for (var i = 0; i < count; i++)
            {
                Require(_end - _next >= PageDifferences.DifferenceHeaderBytes, "a difference is cut off");
                int offset = Unsafe.ReadUnaligned<ushort>(_next);
                int length = Unsafe.ReadUnaligned<ushort>(_next + 2);
                Require(PageDifferences.IsWithinPage(offset, length), "a difference does not lie within a page");
                _next += PageDifferences.DifferenceHeaderBytes;
                Require(length <= _end - _next, "a difference is cut off");
                _next += length;
            }
            return new JournalEntry(pageNumber, 1, EntryForm.Differences, start, (int)(_next - start), count, _entries._source);
        }

        private readonly void Require(bool condition, string what)
        {
            if (!condition)
                throw _entries._source.Damaged(what);
        }
    }
}

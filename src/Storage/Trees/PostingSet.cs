using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// A set of 64-bit numbers in signed order, packed: a few bits a number where they lie close. Changed in batches; read forward
/// from any place.
/// Obtained from <see cref="Catalog.OpenPostingSet"/>; lives as long as its transaction and belongs to that transaction's thread.
/// </summary>
public sealed unsafe partial class PostingSet : Structure
{
    // Bounds the memory that one rewriting takes, not what a caller may give.
    private const int MaxBatch = 16 * 1024;

    // The key of the first page, so that every number has a page that it belongs to.
    private const long FirstKey = long.MinValue;

    private readonly FixedSizeTree _index;

    internal PostingSet(PageTransaction transaction, string? name)
        : base(transaction, name) => _index = new FixedSizeTree(transaction, name);

    internal int Version { get; private set; }

    internal FixedSizeTree Index => _index;

    /// <summary>True when the set holds the number.</summary>
    public bool Contains(long number)
    {
        if (!Locate(number, out PageRange range))
            return false;
        PostingPage page = ReadPostings(range.Page);
        Span<long> numbers = stackalloc long[PostingBlock.MaxNumbers];
        int count = page.Unpack(page.BlockOf(number), numbers);
        return numbers[..count].BinarySearch(number) >= 0;
    }

    /// <summary>Adds numbers, which must ascend; those already there are passed over. Returns how many are new.</summary>
    public long Add(ReadOnlySpan<long> numbers) => Change(numbers, add: true);

    /// <summary>Removes numbers, which must ascend; those not there are passed over. Returns how many were there.</summary>
    public long Remove(ReadOnlySpan<long> numbers) => Change(numbers, add: false);

    /// <summary>Opens a cursor that stands on no number yet.</summary>
    public PostingCursor OpenCursor() => new(this);

    internal override bool DropSome(ref long pages)
    {
        RequireWritable();
        Version++;
        while (pages > 0 && _index.EntryCount > 0)
        {
            var position = new FixedSizePosition(_index);
            position.SeekLast();
            long key = position.Key;
            long number = *(long*)position.Value;
            PostingPage page = ReadPostings(number);
            for (int i = 0; i < page.Count; i++)
                State.EntryCount -= page.Block(i).Count;
            Transaction.FreePages(number, 1);
            _index.Delete(key);
            pages--;
        }
        bool isGone = _index.EntryCount == 0 && _index.DropSome(ref pages);
        Store();
        Invariant.Require(!isGone || (EntryCount == 0 && PageCount == 0));
        return isGone;
    }

    internal override void PlaceAt(BTree parent, byte[] key, int ordinal)
    {
        base.PlaceAt(parent, key, ordinal);
        _index.PlaceAt(parent, key, ordinal);
    }

    internal override void OnStateLoaded()
    {
        Version++;
        _index.State = new TreeState
        {
            Kind = StructureKind.FixedSizeTree,
            ValueSize = sizeof(long),
            Depth = State.Depth,
            RootPage = State.RootPage,
            EntryCount = State.OverflowPages,
            LeafPages = State.LeafPages,
            BranchPages = State.BranchPages,
        };
        _index.OnStateLoaded();
    }

    internal PostingPage ReadPostings(long number)
    {
        byte* page = Transaction.ReadPage(number);
        Invariant.Require(((PageHeader*)page)->Kind == PageKind.Postings && ((PageHeader*)page)->Count > 0);
        return new PostingPage(page);
    }

    /// <summary>The page that a number belongs to. False when there is no page at all.</summary>
    private bool Locate(long number, out PageRange range)
    {
        range = default;
        var position = new FixedSizePosition(_index);
        if (_index.EntryCount == 0)
            return false;
        bool found = position.Seek(number) && position.Key == number;
        if (!found)
            found = number != FirstKey && (position.Seek(number) ? position.MovePrevious() : position.SeekLast());
        Invariant.Require(found, "the first page takes the lowest numbers");
        range.Key = position.Key;
        range.Page = *(long*)position.Value;
        range.Last = position.MoveNext() ? position.Key - 1 : long.MaxValue;
        return true;
    }

    private long Change(ReadOnlySpan<long> numbers, bool add)
    {
        RequireWritable();
        for (int i = 1; i < numbers.Length; i++)
            if (numbers[i] <= numbers[i - 1])
                throw new ArgumentException($"Number {i}, {numbers[i]}, does not ascend.", nameof(numbers));
        long before = State.EntryCount;
        while (!numbers.IsEmpty)
        {
            if (!Locate(numbers[0], out PageRange range))
            {
                if (!add)
                    break;
                range = new PageRange
                {
                    Key = FirstKey,
                    Page = -1,
                    Last = long.MaxValue,
                };
            }
            int taken = numbers[..Math.Min(numbers.Length, MaxBatch)].BinarySearch(range.Last);
            taken = taken < 0 ? ~taken : taken + 1;
            Rewrite(range, numbers[..taken], add);
            numbers = numbers[taken..];
        }
        return Math.Abs(State.EntryCount - before);
    }

    /// <summary>Changes the numbers of one page's range: the page is made anew, possibly as several, or goes.</summary>
    private void Rewrite(PageRange range, ReadOnlySpan<long> numbers, bool add)
    {
        PostingBlocks blocks = PostingBlocks.OfThread;
        blocks.Clear();
        long before = State.EntryCount;
        bool append = range.Last == long.MaxValue && add;
        if (range.Page < 0)
            foreach (long number in numbers)
                Take(number);
        else
            append &= MergeInto(blocks, ReadPostings(range.Page), numbers, add);
        blocks.Complete(even: !append);
        if (State.EntryCount == before)
            return; // nothing was new, or nothing was there
        Version++;
        if (blocks.Count == 0)
            DropPage(range);
        else
        {
            if (range.Page >= 0 && blocks.TotalBytes < PostingPage.Capacity / 4)
                JoinNeighbour(blocks, ref range);
            WritePages(blocks, range, append);
        }
        Store();

        void Take(long number)
        {
            blocks.Add(number);
            State.EntryCount++;
        }
    }

    /// <summary>Merges the page's numbers and the batch. True when the whole batch lies behind the page's numbers.</summary>
    private bool MergeInto(PostingBlocks blocks, PostingPage page, ReadOnlySpan<long> numbers, bool add)
    {
        Span<long> present = stackalloc long[PostingBlock.MaxNumbers];
        bool behind = false;
        int next = 0;
        for (int i = 0; i < page.Count; i++)
        {
            bool last = i + 1 == page.Count;
            int end = next;
            while (end < numbers.Length && (last || numbers[end] < page.Block(i + 1).First))
                end++;
            if (end == next)
            {
                blocks.Add(page, i);
                continue;
            }
            int count = page.Unpack(i, present);
            behind = next == 0 && last && numbers[0] > present[count - 1];
            MergeBlock(blocks, present[..count], numbers[next..end], add);
            next = end;
        }
        return behind;
    }

    private void MergeBlock(PostingBlocks blocks, ReadOnlySpan<long> present, ReadOnlySpan<long> changes, bool add)
    {
        int p = 0;
        int c = 0;
        while (p < present.Length || c < changes.Length)
        {
            if (c == changes.Length || (p < present.Length && present[p] < changes[c]))
            {
                blocks.Add(present[p++]);
                continue;
            }
            bool both = p < present.Length && present[p] == changes[c];
            if (add)
                blocks.Add(changes[c]);
            if (add && !both)
                State.EntryCount++;
            if (!add && both)
                State.EntryCount--;
            c++;
            p += both ? 1 : 0;
        }
    }

    private void Store()
    {
        State.Depth = _index.State.Depth;
        State.RootPage = _index.State.RootPage;
        State.LeafPages = _index.State.LeafPages;
        State.BranchPages = _index.State.BranchPages;
        State.OverflowPages = _index.EntryCount;
        State.ValueSize = sizeof(long);
        IsChanged = true;
    }

    /// <summary>A posting page and the numbers that belong on it: from <see cref="Key"/> up to and with <see cref="Last"/>.</summary>
    private struct PageRange
    {
        public long Key;
        public long Page;
        public long Last;
    }
}

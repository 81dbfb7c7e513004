using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>A posting set's copying, some thousand numbers at a time.</summary>
internal sealed class PostingSetCopy : StructureCopy
{
    private const int NumbersAtOnce = 4096;

    private readonly PostingCursor _cursor;
    private readonly long[] _numbers;

    public PostingSetCopy(PostingSet source, CopyTarget target)
        : base(source, target)
    {
        _cursor = source.OpenCursor();
        _cursor.SeekFirst();
        _numbers = new long[Math.Min(NumbersAtOnce, source.EntryCount)];
    }

    public override long CopyNext(PageTransaction transaction, out int entries)
    {
        entries = _cursor.Read(_numbers);
        if (entries == 0)
            return -1;
        long added = ((PostingSet)Target.In(transaction)).Add(_numbers.AsSpan(0, entries));
        Invariant.Require(added == entries);
        return (long)entries * sizeof(long);
    }

    public override void Dispose() { }
}

using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>A fixed-size tree's copying, entry by entry.</summary>
internal sealed unsafe class FixedSizeTreeCopy : StructureCopy
{
    private readonly int _valueSize;
    private FixedSizePosition _position;
    private bool _any;

    public FixedSizeTreeCopy(FixedSizeTree source, CopyTarget target)
        : base(source, target)
    {
        _valueSize = source.State.ValueSize;
        _position = new FixedSizePosition(source);
        _any = _position.SeekFirst();
    }

    public override long CopyNext(PageTransaction transaction, out int entries)
    {
        entries = _any ? 1 : 0;
        if (!_any)
            return -1;
        byte* slot = ((FixedSizeTree)Target.In(transaction)).Put(_position.Key, out bool isNew);
        Invariant.Require(isNew);
        Buffer.MemoryCopy(_position.Value, slot, _valueSize, _valueSize);
        _any = _position.MoveNext();
        return sizeof(long) + _valueSize;
    }

    public override void Dispose() { }
}

using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>A B+tree's copying: entries one by one, each followed by the structures embedded in its value.</summary>
internal sealed class BTreeCopy : StructureCopy
{
    private readonly BTree _tree;
    private readonly BTreeCursor _cursor;
    private readonly EmbeddedStates _embedded;
    private readonly Queue<Structure> _waiting = [];
    private bool _any;

    public BTreeCopy(BTree source, CopyTarget target)
        : base(source, target)
    {
        _tree = source;
        _embedded = source.Options.Embeds;
        _cursor = source.OpenCursor();
        _any = _cursor.SeekFirst();
    }

    public override long CopyNext(PageTransaction transaction, out int entries)
    {
        Invariant.Require(_waiting.Count == 0);
        entries = _any ? 1 : 0;
        if (!_any)
            return -1;
        var key = _cursor.Key;
        var value = _cursor.Value;
        long bytes = key.Length + value.Length;
        bool isNew = ((BTree)Target.In(transaction)).Put(key, value);
        Invariant.Require(isNew);
        if (_embedded.Count != 0 && _embedded.AreIn(value.Length))
            ListEmbedded(key, value);
        _any = _cursor.MoveNext();
        return bytes;
    }

    public override StructureCopy? NextEmbedded()
    {
        if (!_waiting.TryDequeue(out var structure) || _tree.Transaction.Planted == PlantedFault.ForgottenChild)
            return null;
        return StructureDescriptor.Of(structure.Kind).BeginCopy(structure, new CopyTarget(structure, Target));
    }

    public override void Dispose() => _cursor.Dispose();

    private void ListEmbedded(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        for (int ordinal = 0; ordinal < _embedded.Count; ordinal++)
        {
            var state = _embedded.Read(value, ordinal);
            if (state.Kind != StructureKind.None)
                _waiting.Enqueue(_tree.OpenEmbedded(key.ToArray(), ordinal, state));
        }
    }
}

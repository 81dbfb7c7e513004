using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Compaction;

/// <summary>The entries of one structure, one after the other, for copying.</summary>
internal abstract class EntrySource : IDisposable
{
    public static EntrySource Of(Structure structure) =>
        structure switch
        {
            BTree tree => new TreeEntries(tree),
            FixedSizeTree tree => new FixedTreeEntries(tree),
            PostingSet set => new Postings(set),
            _ => throw new InvalidOperationException($"'{structure.Name}' is a {structure.Kind}, which cannot be copied."),
        };

    /// <summary>Makes the structure, empty, in the target.</summary>
    public abstract void CreateIn(PageTransaction target);

    /// <summary>Copies the entry at hand (of small ones: several) and moves on; returns their bytes, or -1 when there is none
    /// left.</summary>
    public abstract long CopyNext(PageTransaction target, out int entries);

    public abstract void Dispose();

    private sealed class TreeEntries : EntrySource
    {
        private readonly string _name;
        private readonly BTreeCursor _cursor;
        private bool _any;

        public TreeEntries(BTree tree)
        {
            _name = tree.Name;
            _cursor = tree.OpenCursor();
            _any = _cursor.SeekFirst();
        }

        public override void CreateIn(PageTransaction target) => target.Catalog.OpenTree(_name);

        public override long CopyNext(PageTransaction target, out int entries)
        {
            entries = _any ? 1 : 0;
            if (!_any)
                return -1;
            ReadOnlySpan<byte> value = _cursor.Value;
            long bytes = _cursor.Key.Length + value.Length;
            bool isNew = target.Catalog.OpenTree(_name).Put(_cursor.Key, value);
            Invariant.Require(isNew);
            _any = _cursor.MoveNext();
            return bytes;
        }

        public override void Dispose() => _cursor.Dispose();
    }

    private sealed unsafe class FixedTreeEntries : EntrySource
    {
        private readonly FixedSizeTree _tree;
        private FixedSizePosition _position;
        private bool _any;

        public FixedTreeEntries(FixedSizeTree tree)
        {
            _tree = tree;
            _position = new FixedSizePosition(tree);
            _any = _position.SeekFirst();
        }

        public override void CreateIn(PageTransaction target) => Open(target);

        public override long CopyNext(PageTransaction target, out int entries)
        {
            entries = _any ? 1 : 0;
            if (!_any)
                return -1;
            int valueSize = _tree.State.ValueSize;
            byte* slot = Open(target).Put(_position.Key, out bool isNew);
            Invariant.Require(isNew);
            Buffer.MemoryCopy(_position.Value, slot, valueSize, valueSize);
            _any = _position.MoveNext();
            return sizeof(long) + valueSize;
        }

        public override void Dispose() { }

        private FixedSizeTree Open(PageTransaction target) =>
            ((FixedSizeTree)target.Catalog.OpenAs(_tree.Name, StructureKind.FixedSizeTree)).WithValueSize(_tree.State.ValueSize);
    }

    private sealed class Postings : EntrySource
    {
        private readonly string _name;
        private readonly PostingCursor _cursor;
        private readonly long[] _numbers = new long[4096];

        public Postings(PostingSet set)
        {
            _name = set.Name;
            _cursor = set.OpenCursor();
            _cursor.SeekFirst();
        }

        public override void CreateIn(PageTransaction target) => target.Catalog.OpenPostingSet(_name);

        public override long CopyNext(PageTransaction target, out int entries)
        {
            entries = _cursor.Read(_numbers);
            if (entries == 0)
                return -1;
            long added = target.Catalog.OpenPostingSet(_name).Add(_numbers.AsSpan(0, entries));
            Invariant.Require(added == entries);
            return (long)entries * sizeof(long);
        }

        public override void Dispose() { }
    }
}

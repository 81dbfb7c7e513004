using Jackdaw.Storage.Memory;

namespace Jackdaw.Storage.Scratch;

/// <summary>The pool of page map nodes. Used by one thread at a time: the writer, or whoever holds the environment's lock without
/// one.</summary>
internal sealed unsafe class PageMapNodes : IDisposable
{
    private const int NodesPerBlock = 256;
    private readonly NativeArena _arena;
    private readonly List<nint> _blocks = [];
    private PageMapNode* _free;
    private long _taken;

    public PageMapNodes(string owner) => _arena = new NativeArena(owner);

    public long AllocatedBytes => _arena.AllocatedBytes;

    /// <summary>A node with no children.</summary>
    public PageMapNode* Take(long owner)
    {
        var node = TakeRaw();
        new Span<byte>(node, PageMapNode.Size).Clear();
        node->Owner = owner;
        return node;
    }

    /// <summary>A copy that <paramref name="owner"/> may change.</summary>
    public PageMapNode* Copy(PageMapNode* source, long owner)
    {
        var node = TakeRaw();
        Buffer.MemoryCopy(source, node, PageMapNode.Size, PageMapNode.Size);
        node->Owner = owner;
        node->Next = null;
        return node;
    }

    public void Return(PageMapNode* node)
    {
        _taken--;
        AddFree(node);
    }

    /// <summary>Bytes that <see cref="TrimUnused"/> would give back.</summary>
    public long UnusedBytes => Volatile.Read(ref _taken) > 0 ? 0 : AllocatedBytes;

    /// <summary>Gives everything back when no node is in use; returns how many bytes that were.</summary>
    public long TrimUnused()
    {
        if (_taken > 0)
            return 0;
        long bytes = AllocatedBytes;
        FreeBlocks();
        return bytes;
    }

    /// <summary>Gives back a list of nodes.</summary>
    public void ReturnAll(PageMapNode* first)
    {
        while (first != null)
        {
            var next = first->Next;
            Return(first);
            first = next;
        }
    }

    public void Dispose()
    {
        FreeBlocks();
        _arena.Dispose();
    }

    private void FreeBlocks()
    {
        foreach (var block in _blocks)
            _arena.Free((void*)block, (long)PageMapNode.Size * NodesPerBlock);
        _blocks.Clear();
        _free = null;
    }

    private void AddFree(PageMapNode* node)
    {
        node->Next = _free;
        _free = node;
    }

    private PageMapNode* TakeRaw()
    {
        if (_free == null)
        {
            var block = _arena.Allocate((long)PageMapNode.Size * NodesPerBlock);
            _blocks.Add((nint)block);
            for (var i = NodesPerBlock - 1; i >= 0; i--)
                AddFree((PageMapNode*)(block + (long)i * PageMapNode.Size));
        }
        var node = _free;
        _free = node->Next;
        _taken++;
        return node;
    }
}

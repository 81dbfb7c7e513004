namespace Jackdaw.Storage.Scratch;

/// <summary>
/// Changes a page map by path copying: nodes of the writer's own version are changed in place, others are copied once and noted
/// as replaced.
/// Nothing is retired before <see cref="HandOverReplaced"/>, so an abort only gives back the writer's own nodes.
/// </summary>
internal unsafe struct PageMapWriter(PageMapNodes nodes, PageMapRoot root, long version)
{
    private readonly PageMapNodes _nodes = nodes;
    private readonly long _version = version;
    private PageMapNode* _replacedFirst;
    private PageMapNode* _replacedLast;

    public PageMapRoot Root { get; private set; } = root;

    public void Set(long pageNumber, byte* page)
    {
        Invariant.Require(page != null && pageNumber >= 0);
        if (Root.Node == null)
            Root = new PageMapRoot(_nodes.Take(_version), HeightFor(pageNumber));
        while (pageNumber >> ((Root.Height - 1) * PageMapNode.Bits) >= PageMapNode.FanOut)
            AddLevel();
        var node = Own(Root.Node);
        Root = new PageMapRoot(node, Root.Height);
        for (var shift = (Root.Height - 1) * PageMapNode.Bits; ; shift -= PageMapNode.Bits)
        {
            var index = (int)(pageNumber >> shift) & (PageMapNode.FanOut - 1);
            var slot = PageMapNode.Children(node) + index;
            node->Present |= 1UL << index;
            if (shift == 0)
            {
                *slot = (nint)page;
                return;
            }
            var child = *slot == 0 ? _nodes.Take(_version) : Own((PageMapNode*)*slot);
            *slot = (nint)child;
            node = child;
        }
    }

    /// <summary>Takes an entry out, and the nodes that it leaves empty. The entry must be there.</summary>
    public void Remove(long pageNumber)
    {
        Invariant.Require(Root.Find(pageNumber) != null);
        var root = Remove(Root.Node, (Root.Height - 1) * PageMapNode.Bits, pageNumber);
        Root = root == null ? default : new PageMapRoot(root, Root.Height);
    }

    /// <summary>Hands the replaced nodes over: reachable only from versions before this one.</summary>
    public void HandOverReplaced(ref RetiredMemory retired)
    {
        retired.AddNodes(_replacedFirst, _replacedLast);
        _replacedFirst = _replacedLast = null;
    }

    /// <summary>Abort: gives back the nodes that this writer made.</summary>
    public void GiveBackOwn()
    {
        if (Root.Node != null)
            GiveBackOwn(Root.Node, Root.Height);
        for (var node = _replacedFirst; node != null; )
        {
            var next = node->Next;
            node->Next = null;
            node = next;
        }
        Root = default;
        _replacedFirst = _replacedLast = null;
    }

    private readonly void GiveBackOwn(PageMapNode* node, int height)
    {
        if (node->Owner != _version)
            return;
        if (height > 1)
        {
            for (var present = node->Present; present != 0; present &= present - 1)
                GiveBackOwn((PageMapNode*)PageMapNode.Children(node)[System.Numerics.BitOperations.TrailingZeroCount(present)], height - 1);
        }
        _nodes.Return(node);
    }

    private PageMapNode* Remove(PageMapNode* node, int shift, long pageNumber)
    {
        var index = (int)(pageNumber >> shift) & (PageMapNode.FanOut - 1);
        var child = shift == 0 ? null : Remove((PageMapNode*)PageMapNode.Children(node)[index], shift - PageMapNode.Bits, pageNumber);
        if (child == null && node->Present == 1UL << index)
        {
            Discard(node);
            return null;
        }
        node = Own(node);
        PageMapNode.Children(node)[index] = (nint)child;
        if (child == null)
            node->Present &= ~(1UL << index);
        return node;
    }

    private static int HeightFor(long pageNumber)
    {
        var height = 1;
        while (pageNumber >> ((height - 1) * PageMapNode.Bits) >= PageMapNode.FanOut)
            height++;
        return height;
    }

    private void AddLevel()
    {
        var top = _nodes.Take(_version);
        top->Present = 1;
        PageMapNode.Children(top)[0] = (nint)Root.Node;
        Root = new PageMapRoot(top, Root.Height + 1);
    }

    private PageMapNode* Own(PageMapNode* node)
    {
        if (node->Owner == _version)
            return node;
        var copy = _nodes.Copy(node, _version);
        Replace(node);
        return copy;
    }

    private void Discard(PageMapNode* node)
    {
        if (node->Owner == _version)
            _nodes.Return(node);
        else
            Replace(node);
    }

    private void Replace(PageMapNode* node)
    {
        node->Next = null;
        if (_replacedFirst == null)
            _replacedFirst = node;
        else
            _replacedLast->Next = node;
        _replacedLast = node;
    }
}

namespace Jackdaw.Storage.Scratch;

/// <summary>
/// Slots and page map nodes that the newest version no longer shows: a list a snapshot, each entry with the newest living snapshot that may
/// show it. When a snapshot goes, its list goes to the one before it. Guarded by the environment's lock; the links are in the slots and
/// nodes.
/// </summary>
internal unsafe struct RetiredMemory
{
    private ScratchSlot* _firstSlot;
    private ScratchSlot* _lastSlot;
    private PageMapNode* _firstNode;
    private PageMapNode* _lastNode;

    /// <summary>Adds one slot.</summary>
    public void Add(ScratchSlot* slot)
    {
        slot->Next = null;
        AddSlots(slot, slot);
    }

    /// <summary>Adds one node.</summary>
    public void Add(PageMapNode* node)
    {
        node->Next = null;
        AddNodes(node, node);
    }

    /// <summary>Adds a list of slots; null: an empty one.</summary>
    public void AddSlots(ScratchSlot* first, ScratchSlot* last)
    {
        if (first == null)
            return;
        if (_firstSlot == null)
            _firstSlot = first;
        else
            _lastSlot->Next = first;
        _lastSlot = last;
    }

    /// <summary>Adds a list of nodes; null: an empty one.</summary>
    public void AddNodes(PageMapNode* first, PageMapNode* last)
    {
        if (first == null)
            return;
        if (_firstNode == null)
            _firstNode = first;
        else
            _lastNode->Next = first;
        _lastNode = last;
    }

    /// <summary>Takes over everything from another list.</summary>
    public void TakeAll(ref RetiredMemory other)
    {
        AddSlots(other._firstSlot, other._lastSlot);
        AddNodes(other._firstNode, other._lastNode);
        other = default;
    }

    /// <summary>Takes over from a list what was made up to a version; the rest stays there.</summary>
    public void TakeUpTo(long version, ref RetiredMemory other)
    {
        var slot = other._firstSlot;
        var node = other._firstNode;
        other = default;
        for (ScratchSlot* next; slot != null; slot = next)
        {
            next = slot->Next;
            if (slot->Version <= version)
                Add(slot);
            else
                other.Add(slot);
        }
        for (PageMapNode* next; node != null; node = next)
        {
            next = node->Next;
            if (node->Owner <= version)
                Add(node);
            else
                other.Add(node);
        }
    }

    /// <summary>Gives everything back.</summary>
    public void Return(ScratchPool slots, PageMapNodes nodes)
    {
        ReturnSlots(slots);
        nodes.ReturnAll(_firstNode);
        _firstNode = _lastNode = null;
    }

    /// <summary>Gives the slots back and keeps the nodes.</summary>
    public void ReturnSlots(ScratchPool slots)
    {
        slots.ReturnAll(_firstSlot);
        _firstSlot = _lastSlot = null;
    }
}

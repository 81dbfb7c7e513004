namespace Jackdaw.Storage.Trees;

/// <summary>One level of a <see cref="TreePath"/>.</summary>
internal unsafe struct TreePathStep
{
    public long PageNumber;

    public byte* Pointer;

    public int Index;
}

using Jackdaw.Search.Dictionary;

namespace Jackdaw.Search.Batches;

/// <summary>A distinct term of a batch.</summary>
internal struct BatchTerm
{
    /// <summary>Of field, kind and key.</summary>
    public ulong Hash;

    /// <summary>Where the key is in the batch's bytes.</summary>
    public int KeyAt;

    public ushort KeyBytes;

    public ushort Field;

    public TermKind Kind;

    /// <summary>Some entry that is applied has it, or had it.</summary>
    public bool IsUsed;

    /// <summary>The term's number in its field; 0: not known yet, or none.</summary>
    public uint Number;

    /// <summary>The last entry that was given the term, counted from 1.</summary>
    public int LastEntry;

    /// <summary>The posting of <see cref="LastEntry"/>.</summary>
    public int LastPosting;

    /// <summary>Changes of its postings.</summary>
    public int Changes;

    /// <summary>Where the next of its changes goes in the sorted order.</summary>
    public int NextChange;
}

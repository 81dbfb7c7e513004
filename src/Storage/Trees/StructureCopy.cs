using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>The copying of one structure's entries, in their order, in as many transactions of the target as it takes.</summary>
internal abstract class StructureCopy(Structure source, CopyTarget target) : IDisposable
{
    /// <summary>What is copied.</summary>
    public Structure Source { get; } = source;

    /// <summary>Where it goes.</summary>
    public CopyTarget Target { get; } = target;

    /// <summary>Copies the entry at hand (of small ones: several) and moves on; returns their bytes, or -1 when there is none
    /// left.</summary>
    public abstract long CopyNext(PageTransaction transaction, out int entries);

    /// <summary>The next structure embedded in the value that was copied last, to be copied before anything else; null when there is no
    /// more.</summary>
    public virtual StructureCopy? NextEmbedded() => null;

    /// <summary>Ends the copying of a structure that has no entry left.</summary>
    public void End(PageTransaction transaction)
    {
        Invariant.Require(Target.In(transaction).EntryCount == Source.EntryCount, "a structure was not copied whole");
        Target.Close(transaction);
    }

    public abstract void Dispose();
}

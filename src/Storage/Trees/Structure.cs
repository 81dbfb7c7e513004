using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// What the catalog keeps under a name. One object a name and transaction; it carries the state, which
/// <see cref="Catalog.WriteBack"/> stores
/// once, when the transaction commits.
/// </summary>
public abstract class Structure
{
    internal TreeState State;

    private protected Structure(PageTransaction transaction, string name)
    {
        Transaction = transaction;
        Name = name;
    }

    /// <summary>The name in the catalog.</summary>
    public string Name { get; }

    /// <summary>What kind of structure it is.</summary>
    public StructureKind Kind => State.Kind;

    /// <summary>Number of entries.</summary>
    public long EntryCount => State.EntryCount;

    /// <summary>Pages of every sort that the structure owns now.</summary>
    public long PageCount => State.LeafPages + State.BranchPages + State.OverflowPages;

    internal PageTransaction Transaction { get; }

    /// <summary>The state differs from the one in the catalog.</summary>
    internal bool IsChanged { get; set; }

    /// <summary>False once the state must be read again (the transaction object serves another transaction now).</summary>
    internal bool IsLoaded { get; set; }

    /// <summary>Gives back all pages, the root included, and leaves an empty state of the same kind.</summary>
    internal abstract void FreeAllPages();

    /// <summary>Visits all pages and reports every broken rule.</summary>
    internal abstract void Check(IPageVisitor visitor);

    /// <summary>The state was set anew: forget everything derived from the old one.</summary>
    internal abstract void OnStateLoaded();

    /// <summary>Every modification goes through here first.</summary>
    private protected void RequireWritable()
    {
        Invariant.Require(Transaction.IsWritable);
        Invariant.Require(State.Kind != StructureKind.None);
    }
}

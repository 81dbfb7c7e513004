using System.Text;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// What the catalog keeps under a name, or a value of another structure embeds. One object a place and transaction; it carries the state,
/// which is stored once: by <see cref="Catalog.WriteBack"/> when the transaction commits, or by <see cref="EmbeddedStructures.Close"/>.
/// </summary>
public abstract class Structure
{
    internal TreeState State;

    private readonly string? _name;

    private protected Structure(PageTransaction transaction, string? name)
    {
        Transaction = transaction;
        _name = name;
    }

    /// <summary>The name in the catalog; of an embedded structure one that tells where it lies.</summary>
    public string Name => _name ?? DescribePlace();

    /// <summary>What it is.</summary>
    public StructureKind Kind => State.Kind;

    /// <summary>Its own entries, without those of embedded structures.</summary>
    public long EntryCount => State.EntryCount;

    /// <summary>Pages of every sort that the structure owns now, without those of embedded structures.</summary>
    public long PageCount => State.LeafPages + State.BranchPages + State.OverflowPages;

    /// <summary>The transaction that the structure was opened in.</summary>
    public PageTransaction Transaction { get; }

    /// <summary>The state differs from the one that is stored.</summary>
    internal bool IsChanged { get; set; }

    /// <summary>False once the state must be read again (the transaction object serves another transaction now).</summary>
    internal bool IsLoaded { get; set; }

    /// <summary>The tree whose value embeds this structure; null for one of the catalog.</summary>
    internal BTree? Parent { get; private set; }

    /// <summary>The key of the value that embeds it.</summary>
    internal byte[] Key { get; private set; } = [];

    /// <summary>Which of the value's states is its.</summary>
    internal int Ordinal { get; private set; }

    /// <summary>How many structures it is embedded in.</summary>
    internal int Nesting => Parent is null ? 0 : Parent.Nesting + 1;

    /// <summary>There is something to do before the state can be stored.</summary>
    internal virtual bool NeedsCompletion => false;

    /// <summary>Gives back all pages, the root included, and leaves an empty state of the same kind and options.</summary>
    internal void FreeAllPages()
    {
        long pages = long.MaxValue;
        bool isGone = DropSome(ref pages);
        Invariant.Require(isGone && PageCount == 0);
    }

    /// <summary>
    /// Gives back about as many pages as <paramref name="pages"/> says, from the right end, those of embedded structures counted, and takes
    /// them off it. True when nothing is left. Until then the structure is smaller and sound.
    /// </summary>
    internal abstract bool DropSome(ref long pages);

    /// <summary>Visits all pages and reports every broken rule.</summary>
    internal abstract void Check(IPageVisitor visitor);

    /// <summary>The state was set anew: forget everything derived from the old one.</summary>
    internal abstract void OnStateLoaded();

    /// <summary>Does what a batch left for its end: states of embedded structures, counts.</summary>
    internal virtual void CompleteBatch() { }

    /// <summary>Says where an embedded structure's state lies.</summary>
    internal virtual void PlaceAt(BTree parent, byte[] key, int ordinal)
    {
        Parent = parent;
        Key = key;
        Ordinal = ordinal;
        Invariant.Require(Nesting <= EmbeddedStates.MaxNesting, "structures are embedded too deep");
    }

    /// <summary>Nothing can be done with the object any more.</summary>
    internal void Kill()
    {
        State = default;
        IsChanged = false;
        OnStateLoaded();
    }

    /// <summary>Every modification goes through here first.</summary>
    private protected void RequireWritable()
    {
        Invariant.Require(Transaction.IsWritable);
        Invariant.Require(State.Kind != StructureKind.None);
    }

    private string DescribePlace()
    {
        bool isText = Key.Length > 0 && !Key.AsSpan().ContainsAnyExceptInRange((byte)' ', (byte)'~');
        string key = isText ? $"'{Encoding.ASCII.GetString(Key)}'" : Convert.ToHexString(Key);
        return $"{Parent?.Name}[{key}]" + (Ordinal == 0 ? "" : $".{Ordinal}");
    }
}

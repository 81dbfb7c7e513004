using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Transactions;

/// <summary>
/// Pages as one transaction sees them: what every structure (trees, tables, free space) is written against.
/// Not thread-safe: one thread at a time.
/// </summary>
public abstract unsafe class PageTransaction : IDisposable
{
    private Catalog? _catalog;

    /// <summary>The structures by name, as this transaction sees them.</summary>
    public Catalog Catalog => _catalog ??= new Catalog(this);

    /// <summary>The transaction object now shows another transaction: structures opened through it are read anew.</summary>
    protected void RenewCatalog() => _catalog?.Invalidate();

    /// <summary>A reader: the durable transaction it looks at. A writer: its own number.</summary>
    public abstract long Id { get; }

    /// <summary>True for a write transaction.</summary>
    public abstract bool IsWritable { get; }

    /// <summary>A mistake to make on purpose; for the simulator's own tests.</summary>
    internal virtual PlantedFault Planted => PlantedFault.None;

    /// <summary>How much of a transaction's greatest size is taken: from 0, also where there is no limit, to 1.</summary>
    public virtual double Fullness => 0;

    /// <summary>
    /// The page (or overflow run) as this transaction sees it. The pointer stays readable until the transaction ends; in a writer it shows
    /// the state before a later <see cref="ModifyPage"/> of the same page, so fetch it again after modifying.
    /// Throws <see cref="Errors.CorruptedDataException"/> for a page that fails its checksum or lies outside the file.
    /// </summary>
    public abstract byte* ReadPage(long pageNumber);

    /// <summary>A private, writable copy of a single page (not of a run); the same pointer for the rest of the transaction.
    /// Writers only.</summary>
    public abstract byte* ModifyPage(long pageNumber);

    /// <summary>
    /// Takes <paramref name="count"/> adjacent free pages, extending the file where needed, and returns their memory: the header filled in
    /// (kind, run length, page number, transaction), the rest undefined. Throws <see cref="Errors.DiskFullException"/>.
    /// </summary>
    public abstract byte* AllocatePages(int count, PageKind kind, out long pageNumber);

    /// <summary>Gives a page or a whole run back. Its memory must not be used afterwards.</summary>
    public abstract void FreePages(long pageNumber, int count);

    /// <summary>Pages in the data file as this transaction sees it.</summary>
    public abstract long PageCount { get; }

    /// <summary>
    /// Memory for pages whose numbers the caller knows to be free (free space's own work): header filled in, the rest undefined.
    /// Structures use <see cref="AllocatePages"/>.
    /// </summary>
    protected internal abstract byte* CreatePagesAt(long pageNumber, int count, PageKind kind);

    /// <summary>
    /// Extends the data file, really allocating the space, so that it holds at least <paramref name="atLeastPages"/> pages (the
    /// engine chooses
    /// the step), and returns the new <see cref="PageCount"/>. Throws <see cref="Errors.DiskFullException"/>.
    /// </summary>
    protected internal abstract long GrowFile(long atLeastPages);

    /// <summary>Ends the transaction; a write transaction that was not committed is aborted.</summary>
    public abstract void Dispose();
}

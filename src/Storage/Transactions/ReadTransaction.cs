using Jackdaw.Storage.Data;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Scratch;

namespace Jackdaw.Storage.Transactions;

/// <summary>
/// The environment as of the newest durable transaction when it began; of the newest of all where durability is lazy. Ends with
/// <see cref="Dispose"/>; used by one thread at a time.
/// </summary>
public sealed unsafe class ReadTransaction : PageTransaction
{
    private readonly StorageEnvironment _environment;
    private readonly DataFile _data;
    private PageMapRoot _map;
    private bool _ended = true;

    internal ReadTransaction(StorageEnvironment environment, DataFile data)
    {
        _environment = environment;
        _data = data;
        Node = new LinkedListNode<ReadTransaction>(this);
    }

    /// <inheritdoc />
    public override long Id => Snapshot.TransactionId;

    /// <inheritdoc />
    public override bool IsWritable => false;

    internal override PlantedFault Planted => _environment.Options.Planted;

    /// <inheritdoc />
    public override long PageCount => Snapshot.PageCount;

    /// <summary>What the reader is for; shown when it lives too long.</summary>
    public string Purpose { get; private set; } = "";

    /// <summary>
    /// What the reader sees was rolled back since it began (lazily durable environments only). It goes on seeing it to its end; its next
    /// <see cref="Renew"/> shows the state that the environment went back to, or a later one.
    /// </summary>
    public bool IsRolledBack => Snapshot.IsRolledBack;

    internal Snapshot Snapshot { get; private set; } = null!;

    /// <summary>The last journaled state when the reader began, which it keeps alive too: flush works up to it. Null where it is the one
    /// that the reader sees.</summary>
    internal Snapshot? Journaled { get; private set; }

    /// <summary>Timestamp of the environment's clock.</summary>
    internal long StartedAt { get; private set; }

    internal LinkedListNode<ReadTransaction> Node { get; }

    /// <summary>
    /// Begins again, on the newest durable state, after <see cref="Dispose"/>: for owners that keep their transaction objects,
    /// and with them the
    /// structures they have opened.
    /// </summary>
    public void Renew(string purpose)
    {
        Invariant.Require(_ended);
        _environment.BeginRead(this, purpose);
        RenewCatalog();
    }

    /// <summary>Called under the environment's lock.</summary>
    internal void Begin(Snapshot snapshot, Snapshot? journaled, string purpose, long startedAt)
    {
        Snapshot = snapshot;
        Journaled = journaled;
        _map = snapshot.Map;
        Purpose = purpose;
        StartedAt = startedAt;
        _ended = false;
    }

    /// <inheritdoc />
    public override byte* ReadPage(long pageNumber)
    {
        ObjectDisposedException.ThrowIf(_ended, this);
        var page = _map.Find(pageNumber);
        if (page != null)
            return page;
        if ((ulong)pageNumber >= (ulong)Snapshot.PageCount)
            throw _data.Damage(pageNumber, $"page {pageNumber} is referred to, but the file ends at page {Snapshot.PageCount}");
        return _data.Read(pageNumber);
    }

    /// <summary>Reads the page from the disk again and verifies it there, unless it has not been flushed yet. For `check`.</summary>
    public void VerifyPage(long pageNumber)
    {
        if (_map.Find(pageNumber) == null)
            _data.VerifyAgain(pageNumber);
    }

    /// <inheritdoc />
    public override byte* ModifyPage(long pageNumber) => throw ReadOnly();

    /// <inheritdoc />
    public override byte* AllocatePages(int count, PageKind kind, out long pageNumber) => throw ReadOnly();

    /// <inheritdoc />
    public override void FreePages(long pageNumber, int count) => throw ReadOnly();

    /// <inheritdoc />
    protected internal override byte* CreatePagesAt(long pageNumber, int count, PageKind kind) => throw ReadOnly();

    /// <inheritdoc />
    protected internal override long GrowFile(long atLeastPages) => throw ReadOnly();

    /// <inheritdoc />
    public override void Dispose()
    {
        if (_ended)
            return;
        _ended = true;
        _environment.EndRead(this);
    }

    private static InvalidOperationException ReadOnly() => new("A read transaction cannot change pages.");
}

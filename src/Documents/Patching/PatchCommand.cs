using System.Diagnostics;
using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Patching;

/// <summary>
/// Changes a document by a script, inside the transaction. Inputs are set before submission; results are valid once the batch has
/// been awaited. Fails with
/// <see cref="PatchException"/> when the script does, and when the patches of its operation have used up their time
/// (<see cref="Limits.MaxPatchOperationTime"/>).
/// </summary>
public sealed class PatchCommand : DocumentCommand
{
    private static readonly byte[] s_nothing = [];

    internal PatchCommand() { }

    /// <summary>The id. The bytes are copied.</summary>
    public void SetId(string id)
    {
        _id = AppendText(id);
        PrepareId();
    }

    /// <summary>What to do with the document. Required.</summary>
    public Patch? Patch { get; set; }

    /// <summary>What to do, with an empty document, when there is none; what comes of it is stored.</summary>
    public Patch? PatchIfMissing { get; set; }

    /// <summary>What to store as it is when there is none: JSON in UTF-8, not copied. Comes before <see cref="PatchIfMissing"/>.</summary>
    public ReadOnlyMemory<byte> CreateIfMissing { get; set; }

    /// <summary>Whether another change vector than expected is <see cref="PatchStatus.Skipped"/> instead of an error.</summary>
    public bool SkipOnMismatch { get; set; }

    /// <summary>Whether <see cref="ModifiedDocument"/> is wanted. What the patches of one operation hand back is bounded
    /// (<see cref="Limits.MaxPatchResultBytes"/>).</summary>
    public bool ReturnsModified { get; set; }

    /// <summary>Whether <see cref="OriginalDocument"/> is wanted; counts likewise.</summary>
    public bool ReturnsOriginal { get; set; }

    /// <summary>Take everything back in the end: the batch is then answered with <see cref="PatchTestedException"/>, and the
    /// results are there.</summary>
    public bool IsTest { get; set; }

    /// <summary>The limits that the patch obeys.</summary>
    public Limits Limits { get; set; } = Limits.Default;

    /// <summary>The script's, which many commands may share, included.</summary>
    public override long SizeBytes => _inputs.Length + CreateIfMissing.Length + (Patch?.SizeBytes ?? 0) + (PatchIfMissing?.SizeBytes ?? 0);

    /// <summary>The id: as stored where the document is there, else as given. A result.</summary>
    public string Id { get; private set; } = "";

    /// <summary>A result.</summary>
    public PatchStatus Status { get; private set; }

    /// <summary>The document's after the patch; null when there is no document. A result.</summary>
    public string? ChangeVector { get; private set; }

    /// <summary>UTC ticks; 0 when there is no document. A result.</summary>
    public long LastModifiedTicks { get; private set; }

    /// <summary>Null when there is no document. A result.</summary>
    public string? Collection { get; private set; }

    /// <summary>As it goes over the wire; null when there was none, or it is not wanted. A result.</summary>
    public ReadOnlyMemory<byte>? OriginalDocument { get; private set; }

    /// <summary>As it goes over the wire; null when there is none, or it is not wanted. A result.</summary>
    public ReadOnlyMemory<byte>? ModifiedDocument { get; private set; }

    /// <summary>What the script put out by <c>output()</c>. A result.</summary>
    public IReadOnlyList<string> Output { get; private set; } = [];

    internal override void Execute(DocumentsWriter writer)
    {
        using var execution = new PatchExecution(writer, Limits);
        Execute(writer, execution);
        Output = [.. execution.Output];
        if (IsTest)
            throw new PatchTestedException();
    }

    internal void Execute(DocumentsWriter writer, PatchExecution execution)
    {
        Invariant.Require(Patch is not null && !_lowerId.IsEmpty);
        ForgetResults();
        writer.PatchAllowance.RequireTime(Limits);
        long began = Stopwatch.GetTimestamp();
        try
        {
            ExecuteInTime(writer, execution);
        }
        finally
        {
            writer.PatchAllowance.CountTime(began);
        }
    }

    internal override void Clear()
    {
        base.Clear();
        ForgetResults();
        Patch = PatchIfMissing = null;
        CreateIfMissing = s_nothing;
    }

    private void ExecuteInTime(DocumentsWriter writer, PatchExecution execution)
    {
        var lowerId = _inputs.Slice(_lowerId);
        DocumentsWriter.RefuseEvent(lowerId);
        bool exists = writer.TryGet(lowerId, out var row, out _);
        Id = Encoding.UTF8.GetString(exists ? row.Id : _inputs.Slice(_id));
        try
        {
            CheckExpectation(_inputs.Slice(_id), exists, exists ? row.ChangeVector : default);
        }
        catch (ConcurrencyException) when (SkipOnMismatch)
        {
            Status = PatchStatus.Skipped;
            Describe(writer, execution, lowerId);
            return;
        }
        if (exists)
            PatchExisting(writer, execution, lowerId);
        else
            Create(writer, execution);
    }

    private void PatchExisting(DocumentsWriter writer, PatchExecution execution, ReadOnlySpan<byte> lowerId)
    {
        long before = writer.LastEtag;
        var put = execution.Run(Patch!, lowerId);
        // The script may have put or deleted this document by its id, which is no less a change than one of what it was called with.
        bool isWritten = writer.TryGet(lowerId, out _, out long etag) && etag > before;
        if (ReturnsOriginal)
            OriginalDocument = execution.KeepOriginal();
        Describe(writer, execution, lowerId);
        Status = put is not null || isWritten || ChangeVector is null ? PatchStatus.Patched : PatchStatus.NotModified;
    }

    private void Create(DocumentsWriter writer, PatchExecution execution)
    {
        var id = _inputs.Slice(_id);
        PutCommand put;
        if (!CreateIfMissing.IsEmpty)
            put = execution.Put(id, CreateIfMissing);
        else if (PatchIfMissing is not null)
            put = execution.RunOnNothing(PatchIfMissing, id);
        else
        {
            Status = PatchStatus.DocumentDoesNotExist;
            return;
        }
        Status = PatchStatus.Created;
        Id = Encoding.UTF8.GetString(put.Id);
        Describe(writer, execution, Ids.DocumentId.Lower(put.Id)!);
    }

    private void Describe(DocumentsWriter writer, PatchExecution execution, ReadOnlySpan<byte> lowerId)
    {
        if (!writer.TryGet(lowerId, out var row, out _))
            return;
        ChangeVector = Ids.ChangeVector.Text(row.ChangeVector);
        LastModifiedTicks = row.LastModifiedTicks;
        Collection = Encoding.UTF8.GetString(row.Collection);
        if (ReturnsModified)
            ModifiedDocument = execution.KeepDocument(lowerId);
    }

    private void ForgetResults()
    {
        Id = "";
        Status = default;
        ChangeVector = null;
        LastModifiedTicks = 0;
        Collection = null;
        OriginalDocument = ModifiedDocument = null;
        Output = [];
    }
}

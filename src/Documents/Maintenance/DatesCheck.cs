using System.Text.Json;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Expiring;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.Maintenance;

/// <summary>
/// The rules of documents' dates: a row has those of its metadata, each has its entry in the order of time, and each entry has its
/// row.
/// </summary>
internal sealed class DatesCheck
{
    private static readonly DocumentDateKind[] s_kinds = [DocumentDateKind.Expires, DocumentDateKind.Refresh];

    private readonly PageTransaction _transaction;
    private readonly Table _documents;
    private readonly Action<string> _report;

    /// <param name="transaction">Is read.</param>
    /// <param name="documents">The documents in it.</param>
    /// <param name="report">Given each finding, in words.</param>
    public DatesCheck(PageTransaction transaction, Table documents, Action<string> report)
    {
        _transaction = transaction;
        _documents = documents;
        _report = report;
    }

    /// <summary>The row is well formed.</summary>
    public void CheckDocument(string what, long etag, DocumentRow row)
    {
        var dates = row.Dates;
        try
        {
            if (MetadataMembers.ReadDates(row.Metadata) != dates)
                _report($"{what}: the dates kept with it are not those of its metadata");
        }
        catch (Exception invalid) when (invalid is JsonException or InvalidDocumentException)
        {
            _report($"{what}: its metadata does not read: {invalid.Message}");
        }
        Span<byte> key = stackalloc byte[Schema.DateKeyBytes];
        foreach (var kind in s_kinds)
        {
            if (dates.Of(kind) is not { } ticks)
                continue;
            Schema.WriteDateKey(ticks, etag, key);
            if (!TryOpen(kind, out var tree) || !tree.Contains(key))
                _report($"{what}: its date has no entry in {Schema.DatesTree(kind)}");
        }
    }

    /// <summary>The entries, and what is configured.</summary>
    public void CheckEntries()
    {
        foreach (var kind in s_kinds)
        {
            CheckEntries(kind);
            if (
                _transaction.Catalog.TryOpenTree(Schema.ValuesTree, out var values)
                && values.TryGet(Schema.DatesValue(kind), out var settings)
                && !DueDocumentsSettings.IsWellFormed(settings)
            )
                _report($"the value that says what happens to documents of {Schema.DatesTree(kind)} is malformed");
        }
    }

    private void CheckEntries(DocumentDateKind kind)
    {
        if (!TryOpen(kind, out var tree))
            return;
        Span<byte> etagKey = stackalloc byte[Schema.EtagKeyBytes];
        using var cursor = tree.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            if (cursor.Key.Length != Schema.DateKeyBytes || cursor.Value.Length != 0)
            {
                _report($"an entry in {Schema.DatesTree(kind)} is malformed");
                continue;
            }
            var (ticks, etag) = Schema.ReadDateKey(cursor.Key);
            Schema.WriteEtagKey(etag, etagKey);
            if (!_documents.TryGet(etagKey, out var row))
                _report($"an entry in {Schema.DatesTree(kind)} is of etag {etag}, which no document has");
            else if (row.Length >= DocumentRow.HeaderBytes && row[0] == DocumentRow.Version && !Has(row, kind, ticks))
                _report($"an entry in {Schema.DatesTree(kind)} is not of the date that the document with etag {etag} has");
        }
    }

    private static bool Has(ReadOnlySpan<byte> row, DocumentDateKind kind, long ticks) =>
        new DocumentRow(row) is { IsWellFormed: true } document && document.Dates.Of(kind) == ticks;

    private bool TryOpen(DocumentDateKind kind, [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out BTree? tree) =>
        _transaction.Catalog.TryOpenTree(Schema.DatesTree(kind), out tree);
}

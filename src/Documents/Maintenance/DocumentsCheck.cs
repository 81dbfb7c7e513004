using System.Text;
using System.Text.Json;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Maintenance;

/// <summary>
/// The rules of documents over sound tables: rows well formed, collections that exist and whose counters are right, no id both a
/// document and a tombstone in one collection, no document older than a tombstone of its id, no etag
/// used twice or above the last, bodies that are JSON, an entry in the order of time for each date of a document and for nothing else.
/// </summary>
internal sealed class DocumentsCheck
{
    /// <summary>After so many findings the rest is only counted.</summary>
    private const int MaxFindings = 1000;

    private readonly Table _documents;
    private readonly Table _tombstones;
    private readonly DatesCheck _dates;
    private readonly long _lastEtag;
    private readonly List<string> _findings = [];
    private readonly Dictionary<uint, CollectionRow> _stored = [];
    private readonly Dictionary<uint, CollectionRow> _counted = [];
    private readonly byte[] _lower = new byte[DocumentId.MaxLowerBytes];
    private long _unlisted;

    private DocumentsCheck(PageTransaction transaction)
    {
        _documents = transaction.Catalog.OpenTable(Schema.Documents);
        _tombstones = transaction.Catalog.OpenTable(Schema.Tombstones);
        _dates = new DatesCheck(transaction, _documents, Report);
        _lastEtag = DocumentsWriter.ReadLastEtag(transaction);
        using var cursor = transaction.Catalog.OpenTree(Schema.CollectionsTree).OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            var row = CollectionRow.Read(cursor.Key, cursor.Value);
            if (!_stored.TryAdd(row.Id, row))
                Report($"collection '{ShownText.Of(Encoding.UTF8.GetString(row.Name))}' has the id {row.Id} of another");
            _counted[row.Id] = new CollectionRow
            {
                Id = row.Id,
                Name = row.Name,
                LowerName = row.LowerName,
            };
        }
    }

    /// <summary>What is wrong, in words; empty when nothing is.</summary>
    public static IReadOnlyList<string> Run(StorageEnvironment environment)
    {
        using var reader = environment.BeginRead("check documents");
        var check = new DocumentsCheck(reader);
        check.CheckDocuments();
        check.CheckTombstones();
        check._dates.CheckEntries();
        check.CompareCollections();
        if (check._unlisted > 0)
            check._findings.Add($"... and {check._unlisted} more");
        return check._findings;
    }

    private void CheckDocuments()
    {
        using var cursor = _documents.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            long etag = Schema.ReadEtagKey(cursor.Key);
            var value = cursor.Value;
            if (value.Length < DocumentRow.HeaderBytes || value[0] != DocumentRow.Version || !new DocumentRow(value).IsWellFormed)
            {
                Report($"document with etag {etag}: its row is malformed");
                continue;
            }
            var row = new DocumentRow(value);
            string what = $"document '{ShownText.Of(Encoding.UTF8.GetString(row.Id))}' (etag {etag})";
            CheckRow(what, etag, row.Id, row.LowerId, row.CollectionId, row.Collection);
            CheckBody(what, row.Body);
            _dates.CheckDocument(what, etag, row);
            if (!_counted.TryGetValue(row.CollectionId, out var collection))
                continue;
            collection.DocumentCount++;
            collection.DocumentBytes += value.Length;
            collection.LastDocumentEtag = Math.Max(collection.LastDocumentEtag, etag);
        }
    }

    private void CheckTombstones()
    {
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        using var cursor = _tombstones.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            long etag = Schema.ReadEtagKey(cursor.Key);
            var value = cursor.Value;
            if (value.Length < TombstoneRow.HeaderBytes || value[0] != TombstoneRow.Version || !new TombstoneRow(value).IsWellFormed)
            {
                Report($"tombstone with etag {etag}: its row is malformed");
                continue;
            }
            var row = new TombstoneRow(value);
            string what = $"tombstone '{ShownText.Of(Encoding.UTF8.GetString(row.Id))}' (etag {etag})";
            CheckRow(what, etag, row.Id, row.LowerId, row.CollectionId, row.Collection);
            CheckAgainstDocument(what, etag, row);
            Schema.WriteEtagKey(etag, key);
            if (_documents.TryGet(key, out _))
                Report($"{what}: a document has this etag too");
            if (_counted.TryGetValue(row.CollectionId, out var collection))
                collection.TombstoneCount++;
        }
    }

    /// <summary>A document of the same id is in another collection, and was put there after the deletion.</summary>
    private void CheckAgainstDocument(string what, long etag, TombstoneRow tombstone)
    {
        if (!_documents.TryGetByIndex(Schema.DocumentsById, tombstone.LowerId, out var documentKey, out var document))
            return;
        long documentEtag = Schema.ReadEtagKey(documentKey);
        if (document.Length < DocumentRow.HeaderBytes || document[0] != DocumentRow.Version)
            return;
        if (new DocumentRow(document).CollectionId == tombstone.CollectionId)
            Report($"{what}: its collection has a document of this id too (etag {documentEtag})");
        if (documentEtag <= etag)
            Report($"{what}: the document of this id is older than the deletion (etag {documentEtag})");
    }

    private void CheckRow(
        string what,
        long etag,
        ReadOnlySpan<byte> id,
        ReadOnlySpan<byte> lowerId,
        uint collectionId,
        ReadOnlySpan<byte> collection
    )
    {
        if (etag < 1 || etag > _lastEtag)
            Report($"{what}: the last etag handed out is {_lastEtag}");
        int lower = id.Length is > 0 and <= Limits.MaxIdBytes ? DocumentId.WriteLower(id, _lower) : -1;
        if (lower < 0 || !lowerId.SequenceEqual(_lower.AsSpan(0, lower)))
            Report($"{what}: the lower case kept with it is not that of its id");
        if (!_stored.TryGetValue(collectionId, out var stored))
            Report($"{what}: there is no collection {collectionId}");
        else if (!collection.SequenceEqual(stored.Name))
            Report(
                $"{what}: its collection is called '{ShownText.Of(Encoding.UTF8.GetString(stored.Name))}', "
                    + $"not '{ShownText.Of(Encoding.UTF8.GetString(collection))}'"
            );
    }

    private void CheckBody(string what, ReadOnlySpan<byte> body)
    {
        var reader = new Utf8JsonReader(body, new JsonReaderOptions { MaxDepth = int.MaxValue });
        try
        {
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
                Report($"{what}: its body is no JSON object");
            reader.Skip();
            if (reader.BytesConsumed != body.Length)
                Report($"{what}: there is more behind its body");
        }
        catch (JsonException malformed)
        {
            Report($"{what}: its body is not JSON: {malformed.Message}");
        }
    }

    private void CompareCollections()
    {
        foreach (var (id, stored) in _stored)
        {
            var counted = _counted[id];
            string what = $"collection '{ShownText.Of(Encoding.UTF8.GetString(stored.Name))}'";
            if (stored.DocumentCount != counted.DocumentCount || stored.DocumentBytes != counted.DocumentBytes)
                Report(
                    $"{what}: counts {stored.DocumentCount} documents of {stored.DocumentBytes} "
                        + $"bytes, and there are {counted.DocumentCount} of {counted.DocumentBytes}"
                );
            if (stored.TombstoneCount != counted.TombstoneCount)
                Report($"{what}: counts {stored.TombstoneCount} tombstones, and there are {counted.TombstoneCount}");
            if (stored.LastDocumentEtag < counted.LastDocumentEtag)
                Report($"{what}: its last etag is {stored.LastDocumentEtag}, and a document has {counted.LastDocumentEtag}");
        }
    }

    private void Report(string finding)
    {
        if (_findings.Count < MaxFindings)
            _findings.Add(finding);
        else
            _unlisted++;
    }
}

using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Indexing.Registry;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage;

namespace Jackdaw.Simulation.Merging;

/// <summary>Holds a database against the model.</summary>
internal static class StateCheck
{
    /// <summary>Everything that a reader can see.</summary>
    public static void Run(DocumentsReader reader, DatabaseState state)
    {
        OracleException.Require(reader.LastEtag == state.LastEtag, $"the last etag is {reader.LastEtag} instead of {state.LastEtag}");
        OracleException.Require(
            reader.DocumentCount == state.Documents.Count,
            $"there are {reader.DocumentCount} documents instead of {state.Documents.Count}"
        );
        OracleException.Require(
            reader.TombstoneCount == state.Tombstones.Count,
            $"there are {reader.TombstoneCount} tombstones instead of {state.Tombstones.Count}"
        );
        CheckChanges(reader, state);
        var cursor = reader.ByIdPrefix([], []);
        foreach (var (lower, document) in state.Documents)
        {
            OracleException.Require(cursor.MoveNext(), $"document '{lower}' is missing in id order");
            Compare(cursor.Current, lower, document, state);
        }
        OracleException.Require(!cursor.MoveNext(), "there is a document too many in id order");
        CheckCollections(reader, state);
        CheckDates(reader, state);
        EventsCheckByModel.Run(reader, state.Events);
        SnapshotsCheckByModel.Run(reader, state.Snapshots);
        CheckIndexes(reader, state);
        OracleException.Require(
            reader.Identities().SequenceEqual(state.Identities),
            $"the identities are {string.Join(' ', reader.Identities())} instead of {string.Join(' ', state.Identities)}"
        );
    }

    /// <summary>One id, there or not.</summary>
    public static void Glance(DocumentsReader reader, DatabaseState state, SimulatedRandom random)
    {
        var id = Traffic.DrawId(random).ToLowerInvariant();
        var found = reader.TryGet(id, out var document);
        OracleException.Require(
            found == state.Documents.TryGetValue(id, out var expected),
            $"document '{id}' is {(found ? "there" : "not there")}"
        );
        if (found)
            Compare(document, id, expected!, state);
    }

    /// <summary>And what no reader sees: every page, every structure, every counter.</summary>
    public static void RunWhole(StorageEnvironment environment, DatabaseState state)
    {
        using (var reader = new DocumentsReader(environment.BeginRead("verification"), null, present: MergerSession.EventsOf))
            Run(reader, state);
        var report = environment.Check([Schema.Documents, Schema.Tombstones, .. EventsRoom.Instance.Tables]);
        OracleException.Require(report.IsSound, $"the check finds: {string.Join("; ", report.Findings.Take(5))}");
        var findings = DocumentsCheck.Run(environment);
        findings = [.. findings, .. RoomsCheck.Run(environment, [EventsRoom.Instance, SnapshotsRoom.Instance, IndexesRoom.Instance])];
        OracleException.Require(findings.Count == 0, $"the check of documents and rooms finds: {string.Join("; ", findings.Take(5))}");
    }

    private static void CheckChanges(DocumentsReader reader, DatabaseState state)
    {
        var expected = state
            .Documents.Select(d => (d.Value.Etag, Id: d.Key, IsTombstone: false))
            .Concat(state.Tombstones.Select(t => (t.Value.Etag, Id: t.Key, IsTombstone: true)))
            .OrderBy(change => change.Etag);
        var cursor = reader.Changes(0);
        foreach (var (etag, id, isTombstone) in expected)
        {
            OracleException.Require(cursor.MoveNext(), $"the change with etag {etag} is missing");
            var change = cursor.Current;
            OracleException.Require(
                change.Etag == etag && change.IsTombstone == isTombstone,
                $"where {(isTombstone ? "deletion" : "document")} '{id}' with etag {etag} must come, there is etag {change.Etag}"
            );
            if (isTombstone)
                Compare(change.Tombstone, state.Tombstones[id], state);
            else
                Compare(change.Document, id, state.Documents[id], state);
        }
        OracleException.Require(!cursor.MoveNext(), "there is a change too many");
    }

    private static void Compare(in Document actual, string lower, DocumentState expected, DatabaseState state)
    {
        Require("id", Text(actual.Id), expected.Id);
        Require("lower id", Text(actual.LowerId), lower);
        Require("etag", actual.Etag, expected.Etag);
        Require("change vector", Text(actual.ChangeVector), MergerHistory.ChangeVectorOf(expected.Etag));
        Require("time", actual.LastModifiedTicks, expected.ModifiedTicks);
        Require("collection", Text(actual.Collection), state.Collections[expected.Collection].Name);
        Require("having a collection", actual.HasCollection, expected.Collection != "@empty");
        Require("metadata", Text(actual.Metadata), expected.Metadata);
        Require("body", Text(actual.Body), expected.Body);

        void Require<T>(string what, T found, T wanted) =>
            OracleException.Require(
                EqualityComparer<T>.Default.Equals(found, wanted),
                $"document '{lower}': {what} is '{Short(found)}' instead of '{Short(wanted)}'"
            );
    }

    private static void Compare(in Tombstone actual, TombstoneState expected, DatabaseState state)
    {
        var lower = expected.Id.ToLowerInvariant();
        var same =
            Text(actual.Id) == expected.Id
            && Text(actual.LowerId) == lower
            && actual.Etag == expected.Etag
            && actual.DocumentEtag == expected.DocumentEtag
            && Text(actual.ChangeVector) == MergerHistory.ChangeVectorOf(expected.Etag)
            && actual.LastModifiedTicks == expected.ModifiedTicks
            && Text(actual.Collection) == state.Collections[expected.Collection].Name;
        OracleException.Require(same, $"the tombstone of '{lower}' is not {expected}");
    }

    private static void CheckDates(DocumentsReader reader, DatabaseState state)
    {
        foreach (var kind in (DocumentDateKind[])[DocumentDateKind.Expires, DocumentDateKind.Refresh])
        {
            var dates = state.Documents.Values.Select(document => document.Due(kind)).Where(date => date is not null).ToList();
            OracleException.Require(
                reader.CountOfDates(kind) == dates.Count && reader.FirstDate(kind) == dates.Min(),
                $"{reader.CountOfDates(kind)} documents have a date of the kind {kind} instead of {dates.Count}, or the first is another"
            );
        }
    }

    private static void CheckIndexes(DocumentsReader reader, DatabaseState state)
    {
        var records = IndexesRoom.Records(
            reader.Of(IndexesRoom.Instance),
            (id, problem) => throw new OracleException($"the record of index {id} cannot be read: {problem}")
        );
        OracleException.Require(
            Shown(records) == Shown(state.Indexes.Values),
            $"the records of indexes are {Shown(records)} instead of {Shown(state.Indexes.Values)}"
        );

        static string Shown(IEnumerable<IndexRecord> records) =>
            string.Join(
                " | ",
                records
                    .Select(record => $"{record.InstanceId} {Text(record.ToBytes().AsSpan(16))} {record.LowerBound}")
                    .Order(StringComparer.Ordinal)
            );
    }

    private static void CheckCollections(DocumentsReader reader, DatabaseState state)
    {
        var actual = reader.Collections().Select(c => c with { DocumentBytes = 0 });
        var expected = state
            .Collections.Values.Where(c => c.Documents + c.Tombstones > 0)
            .Select(c => new CollectionStatistics(c.Name, c.Documents, c.Tombstones, 0, c.LastDocumentEtag, c.LastTombstoneEtag));
        OracleException.Require(
            actual.SequenceEqual(expected),
            $"the collections are {string.Join(' ', actual)} instead of {string.Join(' ', expected)}"
        );
    }

    private static string Text(ReadOnlySpan<byte> utf8) => Encoding.UTF8.GetString(utf8);

    private static string Short<T>(T value) => value?.ToString() is { Length: > 60 } text ? text[..60] + "…" : value?.ToString() ?? "";
}

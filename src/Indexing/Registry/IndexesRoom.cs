using System.Text.Json;
using Jackdaw.Documents.Rooms;
using Jackdaw.Search;
using Jackdaw.Search.Checking;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Registry;

/// <summary>
/// What a database keeps of its indexes: a record each, in the tree <c>indexes/records</c>, keyed by instance id. Their contents lie in
/// environments of their own below the folder <c>Indexes</c>.
/// </summary>
public sealed class IndexesRoom : Room
{
    internal const string RecordsTree = "indexes/records";
    internal const string Folder = "Indexes";
    internal const string ConsumerPrefix = "index-";

    private IndexesRoom()
        : base("indexes") { }

    /// <summary>The only one.</summary>
    public static IndexesRoom Instance { get; } = new();

    /// <inheritdoc/>
    public override IReadOnlyList<string> Trees { get; } = [RecordsTree];

    /// <inheritdoc/>
    public override string EnvironmentsFolder => Folder;

    /// <summary>Each record can be read, no two indexes have one name, and what one replaces is there.</summary>
    protected override void Check(RoomReader reader, Action<string> report)
    {
        ArgumentNullException.ThrowIfNull(report);
        var records = Records(reader, (id, problem) => report($"the record of index {id} cannot be read: {problem}"));
        foreach (var same in records.Where(record => record.Replaces.Count == 0).GroupBy(r => r.Name, StringComparer.OrdinalIgnoreCase))
        {
            if (same.Count() > 1)
                report($"{same.Count()} indexes are called '{same.Key}'");
        }
    }

    /// <summary>The index in it is sound: docs/search-format.md, "Invariants".</summary>
    protected override void CheckEnvironment(StorageEnvironment environment, Action<string> report)
    {
        ArgumentNullException.ThrowIfNull(environment);
        ArgumentNullException.ThrowIfNull(report);
        using (var transaction = environment.BeginRead("check"))
        {
            // One that a crash has kept from being made is made when the database opens.
            if (!transaction.Catalog.Entries().Any())
                return;
        }
        string folder = environment.Name[(environment.Name.LastIndexOf('/') + 1)..];
        if (!Guid.TryParseExact(folder, "N", out var instanceId))
        {
            report($"'{folder}' is not the name of an index's folder");
            return;
        }
        try
        {
            using var reader = SearchIndex.Open(environment, instanceId).OpenRead("check");
            foreach (string finding in SearchCheck.Run(reader))
                report(finding);
        }
        catch (SearchFormatException other)
        {
            report(other.Message);
        }
    }

    /// <summary>The folders that belong to no index: a crash has come before they were deleted.</summary>
    /// <param name="folders">Names of folders of indexes.</param>
    /// <param name="records">The indexes that there are.</param>
    /// <param name="unreadable">Instance ids of records that cannot be read: what is theirs stays.</param>
    /// <param name="planted">A mistake for a test to find.</param>
    internal static IEnumerable<string> Orphans(
        IEnumerable<string> folders,
        IEnumerable<IndexRecord> records,
        IReadOnlySet<Guid> unreadable,
        PlantedIndexFault planted
    )
    {
        if (planted == PlantedIndexFault.KeepOrphans)
            return [];
        var known = records
            .Select(record => record.InstanceId)
            .Concat(unreadable)
            .Select(id => id.ToString("N"))
            .ToHashSet(StringComparer.OrdinalIgnoreCase);
        return [.. folders.Where(folder => !known.Contains(folder))];
    }

    /// <summary>All records that can be read.</summary>
    /// <param name="reader">The room.</param>
    /// <param name="unreadable">Told of each other one: its key, and what is wrong with it.</param>
    internal static IReadOnlyList<IndexRecord> Records(RoomReader reader, Action<string, string> unreadable)
    {
        var records = new List<IndexRecord>();
        if (!reader.TryOpenTree(RecordsTree, out var tree))
            return records;
        using var cursor = tree.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
        {
            try
            {
                records.Add(IndexRecord.Read(cursor.Key, cursor.Value));
            }
            catch (Exception malformed)
                when (malformed
                        is FormatException
                            or JsonException
                            or KeyNotFoundException
                            or ArgumentException
                            or InvalidOperationException
                )
            {
                unreadable(Convert.ToHexString(cursor.Key), malformed.Message);
            }
        }
        return records;
    }
}

using System.Text.Json;
using Jackdaw.Documents.Rooms;

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

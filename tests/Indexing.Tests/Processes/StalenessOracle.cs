using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Processes;
using Jackdaw.Search.Queries;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>
/// What an answer of an index may be, beside the documents as they are read after it: at or below the index's position it is exactly what
/// the documents say, and where it says that it is not stale, that is everything.
/// </summary>
internal static class StalenessOracle
{
    /// <summary>Looks once. Returns what is wrong; null: nothing. Each document has a member <c>v</c>, different in each version.</summary>
    public static string? Look(IndexedDatabase db, Index index)
    {
        using var reading = index.OpenRead("oracle");
        using var documents = db.Database.OpenRead("oracle");
        bool isStale = reading.IsStale(documents);
        var holds = Held(reading);
        var expected = Expected(index, documents);
        foreach (var (source, (etag, value)) in expected)
        {
            if (etag > reading.Position && isStale)
                continue;
            if (!holds.TryGetValue(source, out string? has) || !has.Contains($"v={value}\n", StringComparison.Ordinal))
                return $"{Describe(index, reading, isStale)} It has '{has}' of '{source}', which is v={value} since etag {etag}.";
        }
        foreach (string source in holds.Keys.Where(source => !expected.ContainsKey(source)))
        {
            long deletion = LastDeletion(index, documents, source);
            if (!isStale || deletion <= reading.Position)
                return $"{Describe(index, reading, isStale)} It holds '{source}', which was deleted at etag {deletion}.";
        }
        return null;
    }

    /// <summary>What it holds, of recorded content or of the search engine.</summary>
    private static SortedDictionary<string, string> Held(IndexReading reading)
    {
        if (RecordedContent.IsRead(reading.Content))
            return RecordedContent.Sources(reading.Content);
        var holds = new SortedDictionary<string, string>(StringComparer.Ordinal);
        using var found = reading.Search.Search(new SearchRequest { Query = new SearchQuery.All() });
        Span<long> entries = stackalloc long[64];
        for (int count = found.Read(entries); count > 0; count = found.Read(entries))
        {
            foreach (long entry in entries[..count])
            {
                if (!reading.Search.TryGetSource(entry, out var source))
                    continue;
                string key = Encoding.UTF8.GetString(source);
                string values = string.Concat(reading.Search.TermsOf(entry).SelectMany(f => f.Value.Select(term => $"{f.Key}={term}\n")));
                holds[key] = holds.TryGetValue(key, out string? other) ? other + " and once more: " + values : values;
            }
        }
        return holds;
    }

    private static Dictionary<string, (long Etag, string Value)> Expected(Index index, DocumentsReader documents)
    {
        var expected = new Dictionary<string, (long, string)>();
        var all = documents.ByEtag(0);
        while (all.MoveNext())
        {
            var document = all.Current;
            if (!index.Reads(Encoding.UTF8.GetString(document.Collection)))
                continue;
            string body = Encoding.UTF8.GetString(document.Body);
            string value = body[(body.IndexOf(':', StringComparison.Ordinal) + 1)..body.IndexOf('}', StringComparison.Ordinal)];
            expected[Encoding.UTF8.GetString(document.LowerId)] = (document.Etag, value);
        }
        return expected;
    }

    /// <summary>0: it is forgotten.</summary>
    private static long LastDeletion(Index index, DocumentsReader documents, string id) =>
        documents.TryGetNewestTombstone(id, index.Reads, out var tombstone) ? tombstone.Etag : 0;

    private static string Describe(Index index, IndexReading reading, bool isStale) =>
        $"'{index.Name}' at position {reading.Position}, {(isStale ? "stale" : "not stale")}.";
}

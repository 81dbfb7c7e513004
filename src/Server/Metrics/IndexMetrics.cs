using System.Diagnostics.Metrics;
using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Indexing.Processes;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Server.Metrics;

/// <summary>What the indexes of all open databases do, as observed instruments: nothing is done while nobody looks. Listed in
/// docs/indexing.md.</summary>
internal sealed class IndexMetrics : IDisposable
{
    private readonly Meter _meter = new("Jackdaw.Indexing");
    private readonly Databases _databases;

    public IndexMetrics(Databases databases)
    {
        _databases = databases;
        Count("documents", "{document}", "Documents that were mapped, failed ones included.", activity => activity.MapAttempts);
        Count("failures", "{document}", "Documents that could not be mapped.", activity => activity.MapErrors);
        Count("deletions", "{document}", "Deletions that were applied.", activity => activity.Deletions);
        Count("batches", "{batch}", "Batches that were committed.", activity => activity.Batches);
        Measure("errors", "{error}", "Error records that are kept.", (index, _) => index.Activity().Errors);
        Measure("memory", "By", "Memory that batches and environments hold.", (index, _) => index.Activity().MemoryBytes);
        Measure("up", "", "1 while the index follows the documents, 0 otherwise.", (index, _) => index.IsFollowing ? 1 : 0);
        _meter.CreateObservableGauge(
            "jackdaw.index.lag.etags",
            () => Look(readsDocuments: true, (index, documents) => index.EtagsBehind(documents!)),
            "{etag}",
            "Etags from what the index has seen to the last change of its collections: an upper bound of the changes that wait."
        );
    }

    public void Dispose() => _meter.Dispose();

    private void Count(string name, string unit, string description, Func<IndexActivity, long> of) =>
        _meter.CreateObservableCounter(
            $"jackdaw.index.{name}",
            () => Look(readsDocuments: false, (index, _) => of(index.Activity())),
            unit,
            description
        );

    private void Measure(string name, string unit, string description, Func<Index, Documents.Reading.DocumentsReader?, long> of) =>
        _meter.CreateObservableGauge($"jackdaw.index.{name}", () => Look(readsDocuments: false, of), unit, description);

    private List<Measurement<long>> Look(bool readsDocuments, Func<Index, Documents.Reading.DocumentsReader?, long> of)
    {
        var found = new List<Measurement<long>>();
        foreach (var record in _databases.List())
        {
            if (_databases.TryGetOpen(record.Name) is not { } database || database.Attached<DatabaseIndexes>() is not { } indexes)
                continue;
            if (indexes.All.Count == 0)
                continue;
            try
            {
                using var documents = readsDocuments ? database.OpenRead("metrics") : null;
                foreach (var index in indexes.All)
                    found.Add(new Measurement<long>(of(index, documents), new("database", database.Name), new("index", index.Name)));
            }
            catch (DatabaseUnavailableException)
            {
                // Disabled or deleted at this moment: it has no indexes to tell of.
            }
        }
        return found;
    }
}

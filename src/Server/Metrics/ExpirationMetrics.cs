using System.Diagnostics.Metrics;
using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Expiring;

namespace Jackdaw.Server.Metrics;

/// <summary>What becomes of documents with a date, as observed instruments: nothing is done while nobody looks. Listed in
/// docs/expiration.md.</summary>
internal sealed class ExpirationMetrics : IDisposable
{
    private readonly Meter _meter = new("Jackdaw.Expiration");
    private readonly Databases _databases;

    public ExpirationMetrics(Databases databases)
    {
        _databases = databases;
        Add("expiration", DocumentDateKind.Expires, "deleted because they had expired", "@expires");
        Add("refresh", DocumentDateKind.Refresh, "refreshed", "@refresh");
    }

    public void Dispose() => _meter.Dispose();

    private void Add(string name, DocumentDateKind kind, string what, string member)
    {
        _meter.CreateObservableCounter(
            $"jackdaw.{name}.documents",
            () => Look(kind, statistics => statistics.Done),
            "{document}",
            $"Documents that were {what}, since the database was opened."
        );
        _meter.CreateObservableGauge(
            $"jackdaw.{name}.waiting",
            () => Look(kind, statistics => statistics.Waiting),
            "{document}",
            $"Documents that have a date in {member}."
        );
        _meter.CreateObservableGauge(
            $"jackdaw.{name}.overdue",
            () => Look(kind, statistics => statistics.Overdue.TotalSeconds),
            "s",
            $"Time since the earliest date in {member} has passed; 0: none has."
        );
        _meter.CreateObservableGauge(
            $"jackdaw.{name}.skipped",
            () => Look(kind, statistics => statistics.Skipped),
            "{document}",
            "Documents that the last pass could not read or write."
        );
    }

    /// <summary>Of the databases that are configured, or have documents with such a date.</summary>
    private List<Measurement<T>> Look<T>(DocumentDateKind kind, Func<DueDocumentsStatistics, T> of)
        where T : struct
    {
        var found = new List<Measurement<T>>();
        foreach (var record in _databases.List())
        {
            if (_databases.TryGetOpen(record.Name) is not { } database || !database.MayHaveDueDocuments(kind))
                continue;
            try
            {
                var statistics = database.DueDocuments(kind);
                if (statistics.Settings is not null || statistics.Waiting > 0)
                    found.Add(new Measurement<T>(of(statistics), new KeyValuePair<string, object?>("database", database.Name)));
            }
            catch (DatabaseUnavailableException)
            {
                // Disabled or deleted at this moment: there is nothing to tell of it.
            }
        }
        return found;
    }
}

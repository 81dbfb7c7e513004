using System.Globalization;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Jackdaw.Server.Alerts;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Server.Endpoints.Monitoring;

/// <summary>What an operator should look at in the indexes of a database.</summary>
internal static class IndexAlerts
{
    /// <summary>Adds the alerts of a database's indexes.</summary>
    /// <param name="alerts">Where to.</param>
    /// <param name="indexes">The indexes; null: none are attached.</param>
    /// <param name="maxAutomatic">How many automatic ones there may be.</param>
    public static void Add(List<Alert> alerts, DatabaseIndexes? indexes, int maxAutomatic)
    {
        if (indexes is null)
            return;
        foreach (var index in indexes.All)
            AddIndex(alerts, index);
        var automatic = indexes.All.Count(index => index is { IsAutomatic: true, IsReplacement: false });
        if (automatic >= maxAutomatic)
            alerts.Add(
                new Alert(
                    Alert.Warning,
                    "indexes",
                    string.Create(CultureInfo.InvariantCulture, $"{automatic} automatic indexes, and no more may be made"),
                    "A query that needs another index takes the place of one whose collection has no documents and that no query "
                        + "has used for 15 seconds; where there is none, it is refused (Limits.MaxAutoIndexes).",
                    "Delete indexes that nobody needs (DELETE /indexes?name=…), let queries ask for the same fields, "
                        + "or raise Limits.MaxAutoIndexes.",
                    null
                )
            );
        foreach (var finding in indexes.Findings)
            alerts.Add(
                new Alert(
                    Alert.Warning,
                    $"index/{finding.Index}",
                    $"Of the index '{finding.Index}'",
                    finding.Message,
                    "GET /indexes/errors tells more. This is told until the database is opened anew.",
                    new DateTimeOffset(finding.AtTicks, TimeSpan.Zero)
                )
            );
    }

    private static void AddIndex(List<Alert> alerts, Index index)
    {
        var name = Uri.EscapeDataString(index.Name);
        if (index.State == IndexState.Error)
            alerts.Add(
                new Alert(
                    Alert.Error,
                    $"index/{index.Name}",
                    $"The index '{index.Name}' is in error",
                    index.StateReason,
                    $"Queries of it are refused. See GET /indexes/errors?name={name}. Enable it to go on from where it was "
                        + $"(POST /admin/indexes/enable?name={name}), or reset it (RESET /indexes?name={name}).",
                    null
                )
            );
        else if (index.StopReason is { } reason)
            alerts.Add(
                new Alert(
                    Alert.Warning,
                    $"index/{index.Name}",
                    $"The index '{index.Name}' waits",
                    reason,
                    "It goes on by itself when the cause is gone; documents are written as ever. Where the disk is full, make room.",
                    null
                )
            );
        if (index.Activity().MapErrors > 0 && index.Errors().Count > 0)
            alerts.Add(
                new Alert(
                    Alert.Warning,
                    $"index/{index.Name}",
                    $"Documents failed in the index '{index.Name}'",
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{index.Activity().MapErrors} documents could not be indexed and are missing in it."
                    ),
                    $"GET /indexes/errors?name={name} names them; DELETE /indexes/errors?name={name} ends this alert.",
                    new DateTimeOffset(index.Errors()[0].AtTicks, TimeSpan.Zero)
                )
            );
    }
}

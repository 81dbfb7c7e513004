using Jackdaw.Documents;
using Jackdaw.Documents.Expiring;
using Jackdaw.Simulation.Histories;

namespace Jackdaw.Simulation.Merging;

/// <summary>Documents that are due expire, or are refreshed.</summary>
internal sealed class SimulatedDue(DueDocumentsOperation operation, HistoryCounts counts) : SimulatedOperation(operation)
{
    private readonly TaskCompletionSource _answered = new();

    public override bool IsSmall => false;

    /// <summary>Ends with the answer.</summary>
    public Task Answered => _answered.Task;

    public override string ToString() => $"operation {Number} ({operation.Kind} of {operation.MaxDocuments} at most)";

    public override void Return()
    {
        if (AnsweredWith is { } refusal)
        {
            _answered.SetException(refusal);
            return;
        }
        counts.Due += operation.Done;
        _answered.SetResult();
    }

    /// <summary>The version that has the date, not a tick before it, and nothing else.</summary>
    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var after = before;
        var done = 0;
        long bytes = 0;
        var hasMore = false;
        foreach (var (lowerId, document, ticks) in before.Due(operation.Kind, ExecutedAt))
        {
            if ((ticks, document.Etag).CompareTo(operation.From) < 0)
                continue;
            hasMore = done >= operation.MaxDocuments || bytes >= operation.MaxBytes;
            // Where a damaged page hides all further dates it ends, and is not refused.
            if (hasMore || (operation.IsRestUnreadable && done == operation.Done))
                break;
            done++;
            bytes += document.Metadata.Length + document.Body.Length;
            after =
                operation.Kind == DocumentDateKind.Expires
                    ? after.Delete(lowerId, ExecutedAt)
                    : after.Put(document.Id, document.Collection, document.Body, document.MetadataWithoutRefresh, ExecutedAt);
        }
        if (kept)
            Require(
                operation.Done == done && (operation.HasMore == hasMore || operation.MetDamage),
                $"{operation.Done} documents were due instead of {done}, and that there is more is told: {operation.HasMore}"
            );
        return (after, null);
    }
}

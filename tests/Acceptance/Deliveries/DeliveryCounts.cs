namespace Jackdaw.Acceptance.Deliveries;

/// <summary>What a run showed, for its line in the report.</summary>
/// <param name="Messages">That arrived, each once.</param>
/// <param name="Gaps">Messages that should have arrived and did not.</param>
/// <param name="Duplicates">Further copies, of the same id and content.</param>
/// <param name="DeadLetters">Documents that the script or the target refused.</param>
internal sealed record DeliveryCounts(int Messages, int Gaps, int Duplicates, int DeadLetters)
{
    public override string ToString() => $"{Messages} messages, {Gaps} gaps, {Duplicates} duplicates (same id), {DeadLetters} dead letters";
}

using System.Text;
using Jackdaw.Documents.Commands;

namespace Jackdaw.Simulation.Merging;

/// <summary>A deletion of one document, or of all under a prefix.</summary>
internal sealed class SimulatedDelete : SimulatedCommand
{
    private DeleteCommand _command = null!;

    public required string Id { get; init; }

    public required bool IsPrefix { get; init; }

    public void AddTo(BatchOperation batch)
    {
        _command = batch.AddDelete();
        _command.SetId(Id);
        _command.IdPrefixed = IsPrefix;
        _command.SetExpectedChangeVector(Expected);
    }

    public override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept, long ticks)
    {
        var lower = Id.ToLowerInvariant();
        if (!IsPrefix && Conflict(before.Documents.GetValueOrDefault(lower)) is { } conflict)
            return (before, conflict);
        var gone = before.Documents.Keys.Where(id => IsPrefix ? id.StartsWith(lower, StringComparison.Ordinal) : id == lower).ToList();
        var after = before;
        foreach (var id in gone)
            after = after.Delete(id, ticks);
        if (kept)
        {
            OracleException.Require(
                _command.DeletedCount == gone.Count,
                $"{this} was told of {_command.DeletedCount} deletions instead of {gone.Count}"
            );
            var etag = gone.Count == 0 ? 0 : after.LastEtag;
            OracleException.Require(_command.Etag == etag, $"{this} was told etag {_command.Etag} instead of {etag}");
            OracleException.Require(
                Encoding.UTF8.GetString(_command.ChangeVector) == (etag == 0 ? "" : MergerHistory.ChangeVectorOf(etag)),
                $"{this} was told another change vector"
            );
        }
        return (after, null);
    }

    public override string ToString() => $"delete {Id}{(IsPrefix ? "*" : "")}{(Expected == null ? "" : $" expecting '{Expected}'")}";
}

namespace Jackdaw.Simulation.Merging;

/// <summary>One command of a batch, and what the model makes of it.</summary>
internal abstract class SimulatedCommand
{
    /// <summary>Null: no check; empty: no such document may be there.</summary>
    public required string? Expected { get; init; }

    /// <param name="before">The state that it is executed on.</param>
    /// <param name="kept">Its results are there and are to be checked.</param>
    /// <param name="ticks">UTC, of the execution.</param>
    public abstract (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept, long ticks);

    /// <summary>How the expectation fails; null: it holds.</summary>
    protected ExpectedRefusal? Conflict(DocumentState? found)
    {
        var actual = found == null ? null : MergerHistory.ChangeVectorOf(found.Etag);
        var holds = Expected switch
        {
            null => true,
            "" => found == null,
            _ => Expected == actual,
        };
        return holds ? null : new ExpectedRefusal(typeof(Jackdaw.Documents.Errors.ConcurrencyException), actual);
    }
}

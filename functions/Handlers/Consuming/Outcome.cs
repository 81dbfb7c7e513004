namespace Jackdaw.Functions.Handlers.Consuming;

/// <summary>What became of a message that needs no further try.</summary>
public enum Outcome
{
    /// <summary>Its effects are stored.</summary>
    Applied,

    /// <summary>It changed nothing: it or a newer one has been applied, or it is of a lost branch of the source's history.</summary>
    Ignored,

    /// <summary>It is a dead letter.</summary>
    DeadLettered,
}

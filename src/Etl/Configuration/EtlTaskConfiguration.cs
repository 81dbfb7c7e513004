namespace Jackdaw.Etl.Configuration;

/// <summary>What a person configures as a task. Immutable; a change is a new one with the same id.</summary>
public sealed record EtlTaskConfiguration
{
    /// <summary>Handed out once in the life of a database.</summary>
    public required long Id { get; init; }

    /// <summary>Unique among a database's tasks, whatever its casing.</summary>
    public required string Name { get; init; }

    /// <summary>True when the task does not run.</summary>
    public bool Disabled { get; init; }

    /// <summary>At least one. The first one's first messages have bare change vectors as ids.</summary>
    public required IReadOnlyList<TransformConfiguration> Transforms { get; init; }

    /// <summary>Names of queues, in any casing: a document that was sent to one is deleted, if it has not changed since.</summary>
    public IReadOnlyList<string> DeletingQueues { get; init; } = [];

    /// <summary>How fast it may send; can be changed while it runs.</summary>
    public RateLimit RateLimit { get; init; } = RateLimit.None;

    /// <summary>The task stops when more than this share of the last documents became dead letters; 1: never.</summary>
    public double MaxFailedShare { get; init; } = 0.5;

    /// <summary>The number of documents that <see cref="MaxFailedShare"/> looks at.</summary>
    public int FailureWindow { get; init; } = 100;
}

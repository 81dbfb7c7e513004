using Jackdaw.Documents.Commands;

namespace Jackdaw.Documents.Merging;

/// <summary>How a merger works.</summary>
internal sealed record MergerOptions
{
    /// <summary>Shown in errors.</summary>
    public required string DatabaseName { get; init; }

    public Limits Limits { get; init; } = Limits.Default;

    /// <summary>Off, for benchmarks: a transaction is then begun only when the one before it is durable.</summary>
    public bool AsynchronousCommit { get; init; } = true;

    /// <summary>Where answers run; null: the thread pool. A simulation runs them itself.</summary>
    public Action<IThreadPoolWorkItem>? RunAnswers { get; init; }

    /// <summary>Timestamps for the closing rule.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>Gives the merger a turn on the thread that has just submitted this operation, which was alone in the queue, if the
    /// host finds that right (<see cref="TransactionMerger.RunAlone"/>). False: the merger is to be woken as usual. True: the host sees
    /// to whatever is left to do. Null: no caller runs a turn.</summary>
    public Func<MergedOperation, bool>? TryRunHere { get; init; }

    /// <summary>A mistake for the simulator to find.</summary>
    public PlantedMergerFault Planted { get; init; }
}

namespace Jackdaw.Etl.Running;

/// <summary>A task's scripts named more distinct targets than a task may have.</summary>
internal sealed class TooManyTargetsException : Exception
{
    public TooManyTargetsException(string target)
        : base(
            $"The task's scripts named more than {EtlLimits.MaxTargetsPerTask:N0} targets (fixed "
                + $"limit); the last one is '{target}'. A target is a topic or queue, not a document."
        ) { }
}

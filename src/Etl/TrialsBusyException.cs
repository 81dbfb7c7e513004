namespace Jackdaw.Etl;

/// <summary>Thrown when as many trials of scripts are running as may run at once; a later attempt may succeed.</summary>
public sealed class TrialsBusyException : Exception
{
    /// <summary>Creates the exception.</summary>
    /// <param name="limit">See <see cref="EtlLimits.MaxTrialsAtOnce"/>.</param>
    public TrialsBusyException(int limit)
        : base($"{limit} trials of scripts are running, the most that run at once (EtlLimits.MaxTrialsAtOnce). Try again in a second.") { }
}

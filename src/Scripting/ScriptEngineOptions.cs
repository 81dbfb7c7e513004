namespace Jackdaw.Scripting;

/// <summary>How an engine keeps its machines (a machine is a heap with the contexts in it, used by one thread at a time).</summary>
public sealed record ScriptEngineOptions
{
    /// <summary>Machines at once; who wants one more waits for <see cref="RentTimeout"/>.</summary>
    public int MaxMachines { get; init; } = Math.Max(16, 4 * Environment.ProcessorCount);

    /// <summary>Machines beyond <see cref="MaxMachines"/> for those who must not wait (<see cref="Script.RentWithoutWaiting"/>).</summary>
    public int ReservedMachines { get; init; } = Math.Max(2, Environment.ProcessorCount);

    /// <summary>Machines kept while nobody uses them; further ones are thrown away when they come back.</summary>
    public int MaxIdleMachines { get; init; } = Math.Max(4, Environment.ProcessorCount);

    /// <summary>Contexts, that is scripts, that a machine keeps: the least recently used goes first.</summary>
    public int MaxContextsPerMachine { get; init; } = 64;

    /// <summary>Compiled scripts that are found again by their text.</summary>
    public int MaxRememberedScripts { get; init; } = 1024;

    /// <summary>Characters of compiled scripts that are found again, all together.</summary>
    public long MaxRememberedCharacters { get; init; } = 8L << 20;

    /// <summary>
    /// How long one waits for a machine before <see cref="Errors.ScriptEngineBusyException"/>. Time in which the whole computer
    /// stands still hardly counts: nobody could give one back in it.
    /// </summary>
    public TimeSpan RentTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Measures how long one has waited.</summary>
    internal TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>As <see cref="Monitor.Wait(object, TimeSpan)"/>.</summary>
    internal Func<object, TimeSpan, bool> Wait { get; init; } = Monitor.Wait;
}

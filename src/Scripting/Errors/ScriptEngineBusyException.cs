namespace Jackdaw.Scripting.Errors;

/// <summary>All machines of the engine stayed in use for longer than <see cref="ScriptEngineOptions.RentTimeout"/>.</summary>
public sealed class ScriptEngineBusyException : ScriptException
{
    /// <summary>Creates the error: how many machines there are, all in use, and how long the caller waited.</summary>
    public ScriptEngineBusyException(int machines, TimeSpan waited)
        : base($"All {machines} script machines were in use for {waited.TotalSeconds:0.#} s; try again later.") { }
}

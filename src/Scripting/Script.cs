using Jackdaw.Scripting.Source;

namespace Jackdaw.Scripting;

/// <summary>A script that has been compiled once without an error. Immutable; any number of threads may rent contexts of it at
/// once.</summary>
public sealed class Script
{
    private readonly ScriptEngine _engine;

    internal Script(ScriptEngine engine, ScriptEnvironment environment, string source, string[] parameters)
    {
        _engine = engine;
        Environment = environment;
        Source = source;
        Parameters = parameters;
        Compiled = environment.HasOptionalReads ? OptionalReads.Of(source) : new RewrittenSource(source, []);
    }

    /// <summary>What the script sees besides its arguments.</summary>
    public ScriptEnvironment Environment { get; }

    /// <summary>As given.</summary>
    public string Source { get; }

    /// <summary>As it is compiled.</summary>
    internal RewrittenSource Compiled { get; }

    /// <summary>The names that are bound at each call.</summary>
    public IReadOnlyList<string> Parameters { get; }

    /// <summary>
    /// A context for one thread's exclusive use, until it is disposed. Throws <see cref="Errors.ScriptEngineBusyException"/> when
    /// all machines stay in use, and
    /// <see cref="ObjectDisposedException"/>.
    /// </summary>
    public ScriptContext Rent() => _engine.Rent(this, mayWait: true);

    /// <summary>
    /// The same for a thread on which others wait: it waits for no machine, and takes one of the reserve
    /// (<see cref="ScriptEngineOptions.ReservedMachines"/>) when all others are in use. Throws
    /// <see cref="Errors.ScriptEngineBusyException"/> at once when those are in use, too, and <see cref="ObjectDisposedException"/>.
    /// </summary>
    public ScriptContext RentWithoutWaiting() => _engine.Rent(this, mayWait: false);
}

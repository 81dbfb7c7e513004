namespace Jackdaw.Scripting;

/// <summary>
/// What scripts of one kind (patches, transforms, ...) may see and how they are called. Beside the language itself a script sees
/// only what the prelude gives it.
/// Make one a kind and keep it: compiled scripts are found again by it.
/// </summary>
public sealed class ScriptEnvironment
{
    /// <summary>Creates an environment.</summary>
    /// <param name="name">Shown in errors.</param>
    /// <param name="prelude">JavaScript that runs once in each new context.</param>
    /// <param name="functions">What scripts can call.</param>
    public ScriptEnvironment(string name, string prelude, params IReadOnlyList<ScriptFunction> functions)
    {
        Name = name;
        Prelude = prelude;
        Functions = functions;
    }

    /// <summary>Names the kind, e.g. "patch".</summary>
    public string Name { get; }

    /// <summary>
    /// Trusted JavaScript: the body of a strict function of <c>(host, json, parameters)</c> that returns <c>{ globals, call
    /// }</c>. <c>host</c> has the functions;
    /// <c>json.parse</c> and <c>json.stringify</c> keep numbers that a double cannot hold, and <c>json.forget()</c> stands
    /// between documents of one call; <c>parameters</c> are the names of the script's parameters. The members of
    /// <c>globals</c> are defined for the script. <c>call(bind, ...texts)</c> runs once a call: <c>bind(...values)</c> gives the
    /// script as a function with its parameters
    /// bound, to be called with a <c>this</c>; what <c>call</c> returns, a string or undefined, is the result. The prelude runs
    /// once a context, before everything is frozen;
    /// its variables live as long as the context, so it must not keep anything of a call. Ours, not the user's: an error in it is
    /// a programmer's error.
    /// </summary>
    public string Prelude { get; }

    /// <summary>A member of null or undefined reads as undefined. Otherwise reading it is a TypeError, as the language has it.</summary>
    public bool HasOptionalReads { get; init; }

    /// <summary>The functions of the host.</summary>
    public IReadOnlyList<ScriptFunction> Functions { get; }
}

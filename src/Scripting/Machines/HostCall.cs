using System.Runtime.CompilerServices;
using Jackdaw.Scripting.Errors;
using Jackdaw.Scripting.Native;

namespace Jackdaw.Scripting.Machines;

/// <summary>A running call, as functions of the host see it.</summary>
internal sealed unsafe class HostCall
{
    private readonly IReadOnlyList<ScriptFunction> _functions;

    public HostCall(IReadOnlyList<ScriptFunction> functions) => _functions = functions;

    public object? State { get; set; }

    public ScriptLimits Limits { get; set; } = ScriptLimits.Default;

    /// <summary>What a function threw that is not for the script: no further function runs, and the call ends with it.</summary>
    public Exception? Failure { get; set; }

    public nint Run(int index, nint context, nint* arguments, int count)
    {
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            throw new ScriptCallbackException("Maximum call stack size exceeded.");
        var invocation = new ScriptInvocation(context, arguments, count, State, Limits);
        _functions[index].Callback(ref invocation);
        return invocation.Result != 0 ? invocation.Result : JavaScriptCore.JSValueMakeUndefined(context);
    }
}

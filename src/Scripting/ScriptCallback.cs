namespace Jackdaw.Scripting;

/// <summary>
/// A function of the host, called on the thread that runs the script. A <see cref="Errors.ScriptCallbackException"/> out of it is
/// thrown inside the script, which may
/// catch it. Any other exception ends the script, whatever it catches, and comes out of <c>ScriptContext.TryCall</c> as it
/// was thrown. It must not call
/// back into the same context.
/// </summary>
public delegate void ScriptCallback(ref ScriptInvocation call);

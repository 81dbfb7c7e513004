namespace Jackdaw.FunctionHost.Invoking;

/// <summary>An invocation failed; the message says why.</summary>
internal sealed class InvocationFailedException(string message, Exception? inner = null) : Exception(message, inner);

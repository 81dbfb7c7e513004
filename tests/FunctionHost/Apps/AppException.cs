namespace Jackdaw.FunctionHost.Apps;

/// <summary>A function app cannot be run: the message names the file, the place in it, and what is expected there.</summary>
public sealed class AppException(string message, Exception? inner = null) : Exception(message, inner);

namespace Jackdaw.Server.Hosting;

/// <summary>A running server refused what a command asked of it, or is not the server that is meant; the message says why.</summary>
internal sealed class RefusedException(string message, Exception? cause = null) : Exception(message, cause);

namespace Jackdaw.Server.Hosting;

/// <summary>A running server refused what a command asked of it; the message is the server's.</summary>
internal sealed class RefusedException(string message) : Exception(message);

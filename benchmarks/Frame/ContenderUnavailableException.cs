namespace Jackdaw.Bench.Frame;

/// <summary>Thrown when a contender cannot run on this machine (a package, a privilege or disk space is missing); the message
/// says what is missing.</summary>
internal sealed class ContenderUnavailableException(string reason) : Exception(reason);

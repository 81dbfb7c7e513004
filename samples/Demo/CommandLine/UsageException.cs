namespace Jackdaw.Demo.CommandLine;

/// <summary>The command line makes no sense.</summary>
/// <param name="message">What is wrong with it.</param>
internal sealed class UsageException(string message) : Exception(message);

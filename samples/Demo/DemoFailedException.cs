namespace Jackdaw.Demo;

/// <summary>The demo cannot go on.</summary>
/// <param name="message">What happened, and where to look.</param>
internal sealed class DemoFailedException(string message) : Exception(message);

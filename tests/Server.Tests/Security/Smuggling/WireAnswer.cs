namespace Jackdaw.Server.Tests.Security.Smuggling;

/// <summary>An answer on the wire.</summary>
/// <param name="Status">Its status.</param>
/// <param name="Head">The status line and the headers.</param>
/// <param name="Body">The body, its pieces joined.</param>
internal sealed record WireAnswer(int Status, string Head, string Body);

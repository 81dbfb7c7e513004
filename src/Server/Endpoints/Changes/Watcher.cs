namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>A socket that watches something.</summary>
/// <param name="Socket">Which.</param>
/// <param name="SinceEtag">The last durable etag when it began: what is at or below is not told.</param>
internal readonly record struct Watcher(ChangesSocket Socket, long SinceEtag);

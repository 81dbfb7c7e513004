using System.Text.Json;

namespace Jackdaw.Functions.Handlers.Storing;

/// <summary>An event of a stream.</summary>
/// <param name="Stream">The exact stream id.</param>
/// <param name="Number">From 1; may have gaps.</param>
/// <param name="Position">Its etag.</param>
/// <param name="Payload">The payload; <see cref="JsonValueKind.Undefined"/> when it is no JSON.</param>
public sealed record SourceEvent(string Stream, long Number, long Position, JsonElement Payload);

using System.Text.Json.Nodes;

namespace Jackdaw.Functions.Handlers.Storing;

/// <summary>A document as it was read.</summary>
/// <param name="Members">Its members, without metadata.</param>
/// <param name="ChangeVector">Its version: a batch can depend on it.</param>
public sealed record StoredDocument(JsonObject Members, string ChangeVector);

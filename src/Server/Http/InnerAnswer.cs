namespace Jackdaw.Server.Http;

/// <summary>The answer to one request of a multi_get.</summary>
internal sealed record InnerAnswer(int Status, IReadOnlyList<KeyValuePair<string, string>> Headers, ReadOnlyMemory<byte> Body);

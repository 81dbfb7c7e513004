namespace Jackdaw.Server.Http;

/// <summary>One request of a multi_get.</summary>
/// <param name="Method">GET or POST.</param>
/// <param name="Path">Decoded, e.g. <c>/databases/db/docs</c>.</param>
/// <param name="Query">With its <c>?</c>; may be empty.</param>
/// <param name="Headers">By name.</param>
/// <param name="Content">The body, UTF-8 JSON; may be empty.</param>
internal sealed record InnerRequest(
    string Method,
    string Path,
    string Query,
    IReadOnlyList<KeyValuePair<string, string>> Headers,
    byte[] Content
);

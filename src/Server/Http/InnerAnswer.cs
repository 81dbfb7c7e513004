namespace Jackdaw.Server.Http;

/// <summary>The answer to one request of a multi_get. Dispose it when its body has been copied.</summary>
/// <param name="Status">The HTTP status.</param>
/// <param name="Headers">By name.</param>
/// <param name="Body">The body, in memory as far as it is small.</param>
internal sealed record InnerAnswer(int Status, IReadOnlyList<KeyValuePair<string, string>> Headers, ResponseBuffer Body) : IDisposable
{
    /// <summary>Frees the body.</summary>
    public void Dispose() => Body.Reset();
}

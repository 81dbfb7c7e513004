using System.Net.Security;

namespace Jackdaw.Bench.Load;

/// <summary>What a load generator is to send.</summary>
/// <param name="Url">Scheme, host and port.</param>
/// <param name="Database">The database in the route.</param>
/// <param name="Kind">The request.</param>
/// <param name="Connections">Open connections, one request at a time on each.</param>
/// <param name="Duration">How long.</param>
/// <param name="Run">A number that keeps the ids of this run apart from those of others.</param>
/// <param name="Documents">For GET: ids are <c>items/0</c> to <c>items/(Documents - 1)</c>.</param>
internal sealed record HttpLoad(string Url, string Database, HttpLoadKind Kind, int Connections, TimeSpan Duration, int Run, long Documents)
{
    /// <summary>The client's certificate over https; null: plain http. The built-in generator alone has one.</summary>
    public SslStreamCertificateContext? Certificate { get; init; }

    /// <summary>The route and the fixed part of the id, up to where the number goes.</summary>
    public string PathPrefix =>
        Kind == HttpLoadKind.GetRandom ? $"/databases/{Database}/docs?id=items%2F" : $"/databases/{Database}/docs?id=items%2F{Run}-";
}

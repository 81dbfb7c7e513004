using System.Text;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Tests.Security.Smuggling;

/// <summary>A request of a client that has rights to the database "db" only, and that names the database "secret" somewhere.</summary>
/// <param name="Place">Where the request names it.</param>
/// <param name="Line">The method and the target, as they stand on the wire.</param>
/// <param name="Expected">What the client is to get.</param>
internal sealed record SmuggledRequest(string Place, string Line, SmuggledOutcome Expected)
{
    /// <summary>The right to "db" that the request needs; clients with less are refused.</summary>
    public DatabaseRight Needs { get; init; } = DatabaseRight.Read;

    /// <summary>Further headers, each with its line end.</summary>
    public string Headers { get; init; } = "";

    public string Body { get; init; } = "";

    /// <summary>The status, where <see cref="Expected"/> is one of a status.</summary>
    public int Status { get; init; }

    /// <summary>The request on the wire.</summary>
    /// <param name="otherId">The id of the other database, which stands where the row has <c>{id}</c>.</param>
    public string Wire(string otherId)
    {
        var body = Body.Replace("{id}", otherId, StringComparison.Ordinal);
        return $"{Line.Replace("{id}", Uri.EscapeDataString(otherId), StringComparison.Ordinal)} HTTP/1.1\r\n"
            + (Headers.StartsWith("Host:", StringComparison.Ordinal) ? "" : "Host: host.example\r\n")
            + $"{Headers}Content-Length: {Encoding.UTF8.GetByteCount(body)}\r\n\r\n{body}";
    }

    /// <summary>The same request with the client's own database in the place of the other one.</summary>
    public SmuggledRequest WithOwn() => this with { Line = Own(Line), Headers = Own(Headers), Body = Own(Body) };

    /// <summary>A text with the client's own database in the place of the other one.</summary>
    public static string Own(string text) => text.Replace("secret", "db", StringComparison.OrdinalIgnoreCase);

    public override string ToString() => $"{Place}: {Line} {Headers.ReplaceLineEndings(" ")}{Body}";
}

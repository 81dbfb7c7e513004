using System.Text.Json;
using Jackdaw.Indexing.Queries;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>
/// The body of a query: its text, its parameters, whether it waits for the index, and whether the answer may come from the client's
/// cache. Older clients send the page beside the text.
/// </summary>
internal sealed record QueryBody
{
    private static readonly string[] s_projectionBehaviors = ["Default", "FromIndex", "FromDocument", "FromDocumentOrThrow"];

    /// <summary>The text.</summary>
    public required string Query { get; init; }

    /// <summary>Values of what begins with <c>$</c> in it.</summary>
    public RqlParameters Parameters { get; init; } = RqlParameters.None;

    /// <summary>False when the client asks for a fresh answer.</summary>
    public bool MayBeCached { get; init; } = true;

    /// <summary>The answer is to wait until the index has seen everything that was there when the query came.</summary>
    public bool WaitsForNonStaleResults { get; init; }

    /// <summary>For how long; null leaves it to the server.</summary>
    public TimeSpan? WaitTimeout { get; init; }

    /// <summary>Results to pass over.</summary>
    public long Start { get; init; }

    /// <summary>Results to give at most; null for all.</summary>
    public long? PageSize { get; init; }

    /// <summary>A hash of everything that was asked, the same in every process. It is part of the answer's ETag: the npm client gives
    /// queries that differ in a date one URL, and must not take the answer of one for that of the other.</summary>
    public long Hash { get; init; }

    /// <param name="utf8">The body as it came.</param>
    /// <param name="hash">Of its bytes: <see cref="HashOf"/>.</param>
    /// <exception cref="BadRequestException">Not of this form.</exception>
    public static QueryBody Parse(ReadOnlyMemory<byte> utf8, long hash)
    {
        using var document = JsonBody.Parse(utf8);
        if (document.RootElement.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("A query must be an object with a property Query.");
        var body = new QueryBody { Query = "", Hash = hash };
        foreach (var property in document.RootElement.EnumerateObject())
            body = body.With(property);
        return body.Query.Length > 0 ? body : throw new BadRequestException("The query has no text: the property Query is missing.");
    }

    /// <summary>
    /// Returns the plan with the page of the body. A client that sends the page beside the text sends the same one in the text
    /// (<c>limit $p0, $p1</c>): where both give one, the later start counts, and the smaller size.
    /// </summary>
    public QueryPlan Page(QueryPlan plan) =>
        Start == 0 && PageSize is null
            ? plan
            : plan with
            {
                Skip = Math.Max(plan.Skip, Start),
                Take = plan.Take is { } take && PageSize is { } page ? Math.Min(take, page) : plan.Take ?? PageSize,
            };

    /// <summary>FNV-1a (Fowler, Noll, Vo), 64 bits.</summary>
    internal static long HashOf(ReadOnlySpan<byte> bytes)
    {
        var hash = 14695981039346656037;
        foreach (var one in bytes)
            hash = (hash ^ one) * 1099511628211;
        return (long)hash;
    }

    private QueryBody With(JsonProperty property)
    {
        var value = property.Value;
        switch (property.Name)
        {
            case "Query" when value.ValueKind == JsonValueKind.String:
                return this with { Query = value.GetString()! };
            case "QueryParameters":
                return this with { Parameters = RqlParameters.From(value) };
            case "WaitForNonStaleResults" when value.ValueKind == JsonValueKind.True:
                return this with { WaitsForNonStaleResults = true, MayBeCached = false };
            case "WaitForNonStaleResults" when value.ValueKind is not (JsonValueKind.False or JsonValueKind.Null):
                throw new BadRequestException($"WaitForNonStaleResults of a query must be true or false, not {value.GetRawText()}.");
            case "DisableCaching" when value.ValueKind == JsonValueKind.True:
                return this with { MayBeCached = false };
            case "WaitForNonStaleResultsTimeout" when value.ValueKind != JsonValueKind.Null:
                return this with
                {
                    WaitTimeout = QueryTime.Of(
                        property.Name,
                        value.ValueKind == JsonValueKind.String ? value.GetString()! : value.GetRawText()
                    ),
                };
            case "ProjectionBehavior" when value.ValueKind == JsonValueKind.String && value.ValueEquals("FromIndexOrThrow"):
                throw new FeatureNotSupportedException("ProjectionBehavior FromIndexOrThrow (automatic indexes store no fields)");
            case "ProjectionBehavior" when value.ValueKind != JsonValueKind.Null && !IsProjectionBehavior(value):
                throw new BadRequestException(
                    $"ProjectionBehavior of a query must be {string.Join(", ", s_projectionBehaviors)} or FromIndexOrThrow, "
                        + $"not {value.GetRawText()}."
                );
            case "Start":
                return this with { Start = Count(property) ?? 0 };
            case "PageSize":
                return this with { PageSize = Count(property) };
            default:
                return this;
        }
    }

    private static bool IsProjectionBehavior(JsonElement value) =>
        value.ValueKind == JsonValueKind.String && Array.Exists(s_projectionBehaviors, known => value.ValueEquals(known));

    private static long? Count(JsonProperty property)
    {
        if (property.Value.ValueKind == JsonValueKind.Null)
            return null;
        if (property.Value.ValueKind != JsonValueKind.Number || !property.Value.TryGetInt64(out var count))
            throw new BadRequestException($"{property.Name} of a query must be a whole number, not {property.Value.GetRawText()}.");
        return count >= 0 ? count : throw new BadRequestException($"{property.Name} of a query must not be negative, but is {count}.");
    }
}

using System.Text.Json;
using Jackdaw.Indexing.Queries;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>
/// The body of a query: its text, its parameters, and whether the answer may come from the client's cache. Older clients send the
/// page beside the text.
/// </summary>
/// <param name="Query">The text.</param>
/// <param name="Parameters">Values of what begins with <c>$</c> in it.</param>
/// <param name="MayBeCached">False when the client asks for a fresh answer.</param>
/// <param name="Start">Results to pass over.</param>
/// <param name="PageSize">Results to give at most; null for all.</param>
internal sealed record QueryBody(string Query, RqlParameters Parameters, bool MayBeCached, long Start = 0, long? PageSize = null)
{
    /// <exception cref="BadRequestException">Not of this form.</exception>
    public static QueryBody Parse(ReadOnlyMemory<byte> utf8)
    {
        using var document = JsonBody.Parse(utf8);
        if (document.RootElement.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("A query must be an object with a property Query.");
        string? query = null;
        var parameters = RqlParameters.None;
        var mayBeCached = true;
        long start = 0;
        long? pageSize = null;
        foreach (var property in document.RootElement.EnumerateObject())
        {
            switch (property.Name)
            {
                case "Query" when property.Value.ValueKind == JsonValueKind.String:
                    query = property.Value.GetString();
                    break;
                case "QueryParameters":
                    parameters = RqlParameters.From(property.Value);
                    break;
                case "WaitForNonStaleResults" or "DisableCaching" when property.Value.ValueKind == JsonValueKind.True:
                    mayBeCached = false;
                    break;
                case "Start":
                    start = Count(property) ?? 0;
                    break;
                case "PageSize":
                    pageSize = Count(property);
                    break;
            }
        }
        return new QueryBody(
            query ?? throw new BadRequestException("The query has no text: the property Query is missing."),
            parameters,
            mayBeCached,
            start,
            pageSize
        );
    }

    /// <summary>
    /// Returns the plan with the page of the body. A client that sends the page beside the text sends the same one in the text
    /// (<c>limit $p0, $p1</c>): where both give one, the later start counts, and the smaller size.
    /// </summary>
    public QueryPlan Page(QueryPlan plan) =>
        plan with
        {
            Skip = Math.Max(plan.Skip, Start),
            Take = plan.Take is { } take && PageSize is { } page ? Math.Min(take, page) : plan.Take ?? PageSize,
        };

    private static long? Count(JsonProperty property)
    {
        if (property.Value.ValueKind == JsonValueKind.Null)
            return null;
        if (property.Value.ValueKind != JsonValueKind.Number || !property.Value.TryGetInt64(out var count))
            throw new BadRequestException($"{property.Name} of a query must be a whole number, not {property.Value.GetRawText()}.");
        return count >= 0 ? count : throw new BadRequestException($"{property.Name} of a query must not be negative, but is {count}.");
    }
}

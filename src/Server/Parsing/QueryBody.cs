using System.Text.Json;
using Jackdaw.Indexing.Queries;
using Jackdaw.Server.Errors;

namespace Jackdaw.Server.Parsing;

/// <summary>The body of a query: its text, its parameters, and whether the answer may come from the client's cache.</summary>
internal sealed record QueryBody(string Query, RqlParameters Parameters, bool MayBeCached)
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
                case "Start" or "PageSize":
                    throw new FeatureNotSupportedException($"{property.Name} beside the query's text (write limit in it)");
            }
        }
        return new QueryBody(query ?? throw new BadRequestException("The query has no text: the property Query is missing."), parameters, mayBeCached);
    }
}

using System.Text.Json;
using Jackdaw.Functions.Handlers.Histories;

namespace Jackdaw.Functions.Handlers.Storing;

/// <summary>What a server answers. Anything else, such as what a proxy says in its place, is a <see cref="JsonException"/>.</summary>
internal static class Answers
{
    /// <summary>Members may be spelt in camel case; all must be there, and null only where the type allows it.</summary>
    public static JsonSerializerOptions Options { get; } =
        new()
        {
            PropertyNameCaseInsensitive = true,
            RespectRequiredConstructorParameters = true,
            RespectNullableAnnotations = true,
        };

    /// <summary>To <c>docs</c> and <c>bulk_docs</c>: a place for each id or command, in their order.</summary>
    internal sealed record ForEach<T>(IReadOnlyList<T> Results);

    /// <summary>What the server says of a command; nothing of it matters.</summary>
    internal sealed record Stored;

    /// <summary>To <c>stats</c>.</summary>
    internal sealed record Statistics(string DatabaseId, IReadOnlyList<Ancestor> Ancestors);

    /// <summary>To <c>events</c>.</summary>
    internal sealed record EventPage(string DatabaseId, IReadOnlyList<Event> Events, bool IsEnd);

    /// <summary>One of <see cref="EventPage"/>; a payload that is no JSON is not there.</summary>
    internal sealed record Event(long Number, long Position, JsonElement Payload = default);
}

using System.Text.Json;

namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>Reads the answer to an append.</summary>
internal static class AppendAnswer
{
    /// <summary>The results in the order of the request's groups, and the id of the database.</summary>
    /// <exception cref="JsonException">It is no such answer.</exception>
    public static (string DatabaseId, List<GroupResult> Results) Parse(ReadOnlySpan<byte> answer)
    {
        var json = new Utf8JsonReader(answer);
        string? databaseId = null;
        var results = new List<GroupResult>();
        Require(json.Read() && json.TokenType == JsonTokenType.StartObject);
        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
        {
            if (json.ValueTextEquals("databaseId"u8))
            {
                json.Read();
                databaseId = json.GetString();
            }
            else if (json.ValueTextEquals("groups"u8))
            {
                Require(json.Read() && json.TokenType == JsonTokenType.StartArray);
                while (json.Read() && json.TokenType == JsonTokenType.StartObject)
                    results.Add(ReadGroup(ref json));
            }
            else
            {
                json.Skip();
            }
        }
        return (databaseId ?? throw new JsonException("The answer has no databaseId."), results);
    }

    private static GroupResult ReadGroup(ref Utf8JsonReader json)
    {
        AppendOutcome? outcome = null;
        long highest = 0;
        long position = 0;
        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
        {
            if (json.ValueTextEquals("outcome"u8))
            {
                json.Read();
                outcome = Outcome(ref json);
            }
            else if (json.ValueTextEquals("highest"u8))
            {
                json.Read();
                highest = json.GetInt64();
            }
            else if (json.ValueTextEquals("lastPosition"u8))
            {
                json.Read();
                position = json.GetInt64();
            }
            else
            {
                json.Skip();
            }
        }
        return new GroupResult(outcome ?? throw new JsonException("A group has no outcome."), highest, position);
    }

    private static AppendOutcome Outcome(ref Utf8JsonReader json)
    {
        if (json.ValueTextEquals("stored"u8))
            return AppendOutcome.Stored;
        if (json.ValueTextEquals("duplicate"u8))
            return AppendOutcome.Duplicate;
        if (json.ValueTextEquals("fenced"u8))
            return AppendOutcome.Fenced;
        if (json.ValueTextEquals("conflict"u8))
            return AppendOutcome.Conflict;
        if (json.ValueTextEquals("too-large"u8))
            return AppendOutcome.TooLarge;
        throw new JsonException($"The outcome '{json.GetString()}' is unknown.");
    }

    private static void Require(bool isSo)
    {
        if (!isSo)
            throw new JsonException("The answer is not that of an append.");
    }
}

using System.Text.Json;
using Jackdaw.Bench.Load;
using Xunit;

namespace Jackdaw.Bench.Tests;

public class DocumentBodiesTests
{
    private readonly DocumentBodies _bodies = new();

    [Fact]
    public void Every_body_is_a_JSON_object_of_1024_bytes_with_a_collection()
    {
        for (long number = 0; number < 3_000; number++)
        {
            byte[] body = _bodies.Create(number);
            using JsonDocument json = JsonDocument.Parse(body);
            Assert.Equal(1024, body.Length);
            Assert.Equal(1_000_000_000 + number, json.RootElement.GetProperty("Number").GetInt64());
            Assert.Equal(DocumentBodies.Collection, json.RootElement.GetProperty("@metadata").GetProperty("@collection").GetString());
        }
    }

    [Fact]
    public async Task A_bulk_insert_is_one_array_of_as_many_puts_as_asked_for()
    {
        using var content = new BulkInsertContent(_bodies, "items/", first: 95, count: 1_000, CancellationToken.None);

        using JsonDocument json = JsonDocument.Parse(await content.ReadAsByteArrayAsync());

        Assert.Equal(1_000, content.Sent);
        JsonElement[] commands = [.. json.RootElement.EnumerateArray()];
        Assert.Equal(Enumerable.Range(95, 1_000).Select(n => $"items/{n}"), commands.Select(c => c.GetProperty("Id").GetString()));
        Assert.All(commands, c => Assert.Equal("PUT", c.GetProperty("Type").GetString()));
        Assert.All(commands, c => Assert.Equal(JsonValueKind.Object, c.GetProperty("Document").ValueKind));
    }

    [Fact]
    public async Task A_bulk_insert_that_is_ended_early_is_still_a_whole_array()
    {
        using var content = new BulkInsertContent(_bodies, "items/", first: 0, count: long.MaxValue, new CancellationToken(canceled: true));

        using JsonDocument json = JsonDocument.Parse(await content.ReadAsByteArrayAsync());

        Assert.Equal(1, json.RootElement.GetArrayLength());
        Assert.Equal(1, content.Sent);
    }

    [Fact]
    public void Every_small_body_is_a_JSON_object_of_300_bytes_with_a_token_of_its_own()
    {
        var bodies = new SmallBodies();
        byte[] body = new byte[SmallBodies.Size];
        HashSet<string> tokens = [];
        foreach (long number in (long[])[0, 1, 9, 12_345, 1_048_577, 9_999_999, 10_000_000])
        {
            Assert.Equal(SmallBodies.Size, bodies.WriteBody(number, body));
            using JsonDocument json = JsonDocument.Parse(body);
            Assert.Equal(number, json.RootElement.GetProperty("Number").GetInt64());
            Assert.True(tokens.Add(json.RootElement.GetProperty("Token").GetString()!));
        }
    }
}

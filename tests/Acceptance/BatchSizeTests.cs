using System.Net;
using System.Text;

namespace Jackdaw.Acceptance;

/// <summary>A batch is bounded by the bytes that it takes, not by the number of its commands.</summary>
public sealed class BatchSizeTests(WireServer server) : IClassFixture<WireServer>
{
    [Fact]
    public async Task A_batch_of_many_small_commands_is_taken()
    {
        const int Commands = 100_001;
        var database = await server.NewDatabaseAsync();
        var body = new StringBuilder("{\"Commands\":[");
        for (var i = 0; i < Commands; i++)
            body.Append(i > 0 ? "," : "").Append($$$"""{"Id":"n/{{{i}}}","Type":"PUT","Document":{}}""");
        var answer = await database.SendAsync("POST", "/bulk_docs?", body.Append("]}").ToString());
        Assert.True(answer.Status == HttpStatusCode.Created, $"{answer.Status}: {answer.Text[..Math.Min(500, answer.Text.Length)]}");
        Assert.Equal(Commands, answer.Json.GetProperty("Results").GetArrayLength());
        Assert.Equal(Commands, (await database.GetAsync("/stats")).Json.GetProperty("CountOfDocuments").GetInt32());
    }
}

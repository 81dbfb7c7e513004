using System.IO.Compression;
using System.Net;
using System.Text;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>
/// What the clients of other languages send, replayed, and what they need of each answer: opening a store, a database, a session,
/// a batch, lazy and streamed queries. Each file of the folder Exchanges says whether its client was recorded, or its requests
/// were composed from its source.
/// </summary>
public sealed class ClientExchangeTests(WireServer server) : IClassFixture<WireServer>
{
    [Theory]
    [InlineData("python.json")]
    [InlineData("java.json")]
    [InlineData("go.json")]
    public async Task Each_request_of_a_client_gets_the_answer_that_the_client_needs(string file)
    {
        var database = "exchange_" + Path.GetFileNameWithoutExtension(file);
        var text = File.ReadAllText(Path.Combine(Repository.Root, "tests", "Acceptance", "Exchanges", file))
            .Replace("{db}", database, StringComparison.Ordinal)
            .Replace("{url}", server.Url, StringComparison.Ordinal);
        using var exchanges = JsonDocument.Parse(text);
        var failures = new List<string>();
        foreach (var exchange in exchanges.RootElement.GetProperty("exchanges").EnumerateArray())
            failures.AddRange(await ReplayAsync(exchange));
        Assert.True(failures.Count == 0, string.Join('\n', failures));
    }

    /// <summary>Sends one request; gives what is wrong with its answer.</summary>
    private async Task<List<string>> ReplayAsync(JsonElement exchange)
    {
        var what = exchange.GetProperty("what").GetString();
        using var request = new HttpRequestMessage(
            new HttpMethod(exchange.GetProperty("method").GetString()!),
            server.Url + exchange.GetProperty("path").GetString()
        );
        if (exchange.TryGetProperty("body", out var body))
            request.Content = Content(
                body.GetRawText(),
                exchange.TryGetProperty("encoding", out var encoding) ? encoding.GetString() : null
            );
        if (exchange.TryGetProperty("headers", out var headers))
            foreach (var header in headers.EnumerateObject())
                Add(request, header.Name, header.Value.GetString()!);
        using var answer = await server.Client.SendAsync(request);
        var text = Decoded(answer, await answer.Content.ReadAsByteArrayAsync());
        var status = (HttpStatusCode)exchange.GetProperty("status").GetInt32();
        if (answer.StatusCode != status)
            return [$"{what}: status {(int)answer.StatusCode} instead of {(int)status}: {text}"];
        var wrong = new List<string>();
        var expected = exchange.GetProperty("answer");
        if (expected.ValueKind == JsonValueKind.Null)
        {
            if (text.Length > 0)
                wrong.Add($"{what}: the body is '{text}' where none is expected");
        }
        else if (expected.ValueKind != JsonValueKind.String)
        {
            using var actual = JsonDocument.Parse(text);
            wrong.AddRange(AnswerShape.Differences(expected, actual.RootElement).Select(difference => $"{what}: {difference}"));
            if (exchange.TryGetProperty("order", out var order))
                wrong.AddRange(AnswerShape.OutOfOrder(order, actual.RootElement).Select(difference => $"{what}: {difference}"));
        }
        return wrong;
    }

    private static void Add(HttpRequestMessage request, string name, string value)
    {
        if (!request.Headers.TryAddWithoutValidation(name, value))
        {
            request.Content!.Headers.Remove(name);
            Assert.True(request.Content.Headers.TryAddWithoutValidation(name, value));
        }
    }

    private static ByteArrayContent Content(string json, string? encoding)
    {
        var bytes = Encoding.UTF8.GetBytes(json);
        if (encoding is null)
            return new ByteArrayContent(bytes);
        var content = new ByteArrayContent(encoding == "zstd" ? Zstd.Compress(bytes) : Gzip(bytes));
        content.Headers.ContentEncoding.Add(encoding);
        return content;
    }

    private static byte[] Gzip(byte[] bytes)
    {
        using var compressed = new MemoryStream();
        using (var gzip = new GZipStream(compressed, CompressionLevel.Fastest))
            gzip.Write(bytes);
        return compressed.ToArray();
    }

    private static string Decoded(HttpResponseMessage answer, byte[] body)
    {
        var encoding = answer.Content.Headers.ContentEncoding.SingleOrDefault();
        if (encoding is null)
            return Encoding.UTF8.GetString(body);
        Assert.Equal("gzip", encoding);
        using var reader = new StreamReader(new GZipStream(new MemoryStream(body), CompressionMode.Decompress));
        return reader.ReadToEnd();
    }
}

using System.IO.Compression;
using System.Net;
using System.Text;
using System.Text.Json;

namespace Jackdaw.Acceptance;

/// <summary>Compressed requests and answers, as the clients' codings (gzip and zstd) ask for them.</summary>
public sealed class CompressionWireTests(WireServer server) : IClassFixture<WireServer>
{
    [Fact]
    public async Task A_body_in_zstd_is_read_whole_and_in_many_pieces()
    {
        var database = await server.NewDatabaseAsync();
        // More than any buffer on the way, and less compressible than one pattern.
        var text = string.Concat(Enumerable.Range(0, 100_000).Select(i => $"{i * 7919} "));
        foreach (var (id, json) in new[] { ("small", """{"a":1}"""), ("large", $$"""{"text":"{{text}}"}""") })
        {
            var answer = await SendAsync(database, "PUT", $"/docs?id={id}", Zstd.Compress(Encoding.UTF8.GetBytes(json)));
            Assert.Equal(HttpStatusCode.Created, answer.Status);
            Assert.Equal(
                JsonDocument.Parse(json).RootElement.EnumerateObject().Single().Value.GetRawText(),
                (await database.DocumentAsync(id)).EnumerateObject().First().Value.GetRawText()
            );
        }
    }

    [Fact]
    public async Task A_bulk_insert_in_zstd_is_stored()
    {
        var database = await server.NewDatabaseAsync();
        var documents = string.Join(
            ',',
            Enumerable.Range(0, 5000).Select(i => $$$"""{"Id":"n/{{{i}}}","Type":"PUT","Document":{"i":{{{i}}}}}""")
        );
        var answer = await SendAsync(database, "POST", "/bulk_insert", Zstd.Compress(Encoding.UTF8.GetBytes($"[{documents}]")));
        Assert.Equal(HttpStatusCode.Created, answer.Status);
        Assert.Equal(5000, (await database.GetAsync("/stats")).Json.GetProperty("CountOfDocuments").GetInt32());
    }

    [Theory]
    [InlineData("gzip")]
    [InlineData("zstd")]
    public async Task A_compressed_body_that_is_cut_or_damaged_or_none_is_a_bad_request_that_names_its_coding(string coding)
    {
        var database = await server.NewDatabaseAsync();
        var json = Encoding.UTF8.GetBytes("{\"text\":\"" + string.Concat(Enumerable.Range(0, 2000).Select(i => $"{i * 7919} ")) + "\"}");
        var whole = coding == "zstd" ? Zstd.Compress(json) : Gzip(json);
        var damaged = whole.ToArray();
        // The clients' frames of zstd carry no checksum: what is damaged in the middle may pass, as without compression.
        damaged[coding == "zstd" ? 4 : whole.Length / 2] ^= 0xFF;
        foreach (var body in new[] { whole[..(whole.Length / 2)], damaged, "{}"u8.ToArray() })
        {
            var answer = await SendAsync(database, "PUT", "/docs?id=x", body, coding);
            Assert.True(answer.Status == HttpStatusCode.BadRequest, $"{answer.Status}: {answer.Text}");
            if (body.Length < 3)
                Assert.Contains(coding, answer.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
        }
        Assert.Equal(HttpStatusCode.NotFound, (await database.GetAsync("/docs?id=x")).Status);
    }

    [Theory]
    [InlineData("gzip", "gzip")]
    [InlineData("zstd", "zstd")]
    [InlineData("gzip, deflate", "gzip")]
    [InlineData("gzip, deflate, br, zstd", "zstd")]
    [InlineData("zstd;q=0.5, gzip", "gzip")]
    [InlineData("gzip;q=0, zstd;q=0", null)]
    [InlineData("gzip;q=0", null)]
    [InlineData("identity", null)]
    [InlineData("br", null)]
    [InlineData("*", "gzip")]
    [InlineData(null, null)]
    public async Task An_answer_is_compressed_as_the_client_asks(string? accepted, string? coding)
    {
        var database = await server.NewDatabaseAsync();
        var text = string.Concat(Enumerable.Repeat("wing ", 800));
        await database.PutAsync("d/1", $$$"""{"text":"{{{text}}}","@metadata":{"@collection":"Ds"}}""");
        await database.PutAsync("small/1", """{"a":1}""");
        foreach (
            var (method, path, body) in new[]
            {
                ("GET", "/docs?id=d/1", null as string),
                ("POST", "/queries?queryHash=1", """{"Query":"from Ds"}"""),
                ("GET", "/streams/docs?startsWith=d/", null),
                ("POST", "/streams/queries?format=jsonl", """{"Query":"from Ds"}"""),
            }
        )
        {
            var (answer, bytes) = await RawAsync(database, method, path, body, accepted);
            Assert.Equal(coding, answer.Content.Headers.ContentEncoding.SingleOrDefault());
            Assert.Equal("Accept-Encoding", string.Join(',', answer.Headers.Vary));
            Assert.Contains(text, Decoded(coding, bytes), StringComparison.Ordinal);
            if (coding is not null)
                Assert.True(bytes.Length < text.Length / 4, $"{bytes.Length:N0} bytes");
        }
        var (small, plain) = await RawAsync(database, "GET", "/docs?id=small/1", null, accepted);
        Assert.Empty(small.Content.Headers.ContentEncoding);
        Assert.StartsWith("{\"Results\":[{\"a\":1", Encoding.UTF8.GetString(plain), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("gzip")]
    [InlineData("zstd")]
    public async Task A_long_stream_is_compressed_piece_by_piece_and_comes_back_whole(string coding)
    {
        var database = await server.NewDatabaseAsync();
        var random = new Random(7);
        for (var i = 0; i < 20; i++)
            await database.PutAsync($"d/{i:00}", $$"""{"i":{{i}},"text":"{{Convert.ToBase64String(Bytes(random, 48_000))}}"}""");
        var (_, plain) = await RawAsync(database, "GET", "/streams/docs?format=jsonl", null, null);
        var (answer, bytes) = await RawAsync(database, "GET", "/streams/docs?format=jsonl", null, coding);
        Assert.Equal(coding, answer.Content.Headers.ContentEncoding.SingleOrDefault());
        Assert.Equal(Encoding.UTF8.GetString(plain), Decoded(coding, bytes));
    }

    private static byte[] Bytes(Random random, int count)
    {
        var bytes = new byte[count];
        random.NextBytes(bytes);
        return bytes;
    }

    private async Task<(HttpResponseMessage Answer, byte[] Body)> RawAsync(
        WireDatabase database,
        string method,
        string path,
        string? body,
        string? accepted
    )
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), $"{server.Url}/databases/{database.Name}{path}");
        if (body is not null)
            request.Content = new StringContent(body);
        if (accepted is not null)
            Assert.True(request.Headers.TryAddWithoutValidation("Accept-Encoding", accepted));
        var answer = await server.Client.SendAsync(request);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        return (answer, await answer.Content.ReadAsByteArrayAsync());
    }

    private async Task<WireAnswer> SendAsync(WireDatabase database, string method, string path, byte[] body, string coding = "zstd")
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), $"{server.Url}/databases/{database.Name}{path}")
        {
            Content = new ByteArrayContent(body),
        };
        request.Content.Headers.ContentEncoding.Add(coding);
        using var answer = await server.Client.SendAsync(request);
        return new WireAnswer(answer.StatusCode, null, new Dictionary<string, string>(), await answer.Content.ReadAsStringAsync());
    }

    private static string Decoded(string? coding, byte[] body)
    {
        if (coding == "zstd")
            return Encoding.UTF8.GetString(Zstd.Decompress(body));
        if (coding is null)
            return Encoding.UTF8.GetString(body);
        using var reader = new StreamReader(new GZipStream(new MemoryStream(body), CompressionMode.Decompress));
        return reader.ReadToEnd();
    }

    private static byte[] Gzip(byte[] bytes)
    {
        using var compressed = new MemoryStream();
        using (var gzip = new GZipStream(compressed, CompressionLevel.Fastest))
            gzip.Write(bytes);
        return compressed.ToArray();
    }
}

using System.IO.Compression;
using System.Text;
using Jackdaw.Server.Http;
using Jackdaw.Server.Http.Compression;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Jackdaw.Server.Tests.Http;

public sealed class CompressedAnswerTests
{
    private readonly MemoryStream _sent = new();

    [Theory]
    [InlineData("gzip")]
    [InlineData("zstd")]
    public async Task Each_piece_of_a_streamed_answer_is_with_the_client_before_the_next_one_is_made(string coding)
    {
        var context = Begin(coding);
        var pieces = new List<string>();
        for (var i = 0; i < 5; i++)
        {
            pieces.Add($"piece {i}: {new string((char)('a' + i), 100 * (i + 1))}\n");
            context.Response.Write(Encoding.UTF8.GetBytes(pieces[i]));
            await context.FlushPieceAsync("text/plain");
            Assert.Equal(string.Concat(pieces), await ReadAsync(coding, string.Concat(pieces).Length));
        }
        await context.EndPiecesAsync("text/plain");
        Assert.Equal(coding, context.Http.Response.Headers.ContentEncoding);
        using var rest = new StreamReader(Decompressing(coding));
        Assert.Equal(string.Concat(pieces), await rest.ReadToEndAsync());
        context.End();
    }

    [Fact]
    public async Task An_answer_that_is_compressed_already_is_left_as_it_is()
    {
        var bytes = new byte[100_000];
        foreach (var (encoding, type) in new[] { ("br", "application/json"), (null, "application/octet-stream"), (null, "image/png") })
        {
            _sent.SetLength(0);
            var context = Begin("gzip, zstd");
            context.Http.Response.Headers.ContentEncoding = encoding;
            context.Response.Write(bytes);
            await context.SendAsync(200, type);
            await context.Http.Response.BodyWriter.FlushAsync();
            Assert.Equal(bytes.Length, _sent.Length);
            Assert.Equal(encoding ?? "", context.Http.Response.Headers.ContentEncoding.ToString());
            context.End();
        }
    }

    [Fact]
    public async Task A_frame_of_zstd_that_needs_more_than_8_MB_to_be_read_is_refused()
    {
        // Magic number, no size told, the window as 2 to the power of 10 and more, one raw block of one byte.
        static byte[] Frame(int windowLog) => [0x28, 0xB5, 0x2F, 0xFD, 0x00, (byte)((windowLog - 10) << 3), 0x09, 0x00, 0x00, (byte)'a'];
        Assert.Equal("a", await DecompressedAsync(Frame(23)));
        await Assert.ThrowsAsync<InvalidDataException>(() => DecompressedAsync(Frame(24)));
        await Assert.ThrowsAsync<InvalidDataException>(() => DecompressedAsync(Frame(31)));
        await Assert.ThrowsAsync<InvalidDataException>(() => DecompressedAsync(Frame(23)[..^1]));
        Assert.Equal("aa", await DecompressedAsync([.. Frame(10), .. Frame(20)]));
        Assert.Equal("", await DecompressedAsync([]));

        static async Task<string> DecompressedAsync(byte[] frame)
        {
            using var reader = new StreamReader(new ZstdDecompressionStream(new MemoryStream(frame)));
            return await reader.ReadToEndAsync();
        }
    }

    [Fact]
    public async Task Random_bytes_come_back_from_zstd_whatever_the_sizes_of_writes_and_reads()
    {
        var random = new Random(11);
        for (var round = 0; round < 50; round++)
        {
            var bytes = new byte[random.Next(300_000)];
            random.NextBytes(bytes.AsSpan(0, bytes.Length / 2));
            using var compressed = new MemoryStream();
            await using (var stream = new ZstdCompressionStream(compressed, round % 2 == 0 ? bytes.Length : null))
                for (var at = 0; at < bytes.Length; )
                {
                    var count = Math.Min(bytes.Length - at, random.Next(1, 100_000));
                    await stream.WriteAsync(bytes.AsMemory(at, count));
                    at += count;
                    if (random.Next(3) == 0)
                        await stream.FlushAsync();
                }
            compressed.Position = 0;
            using var decompressing = new ZstdDecompressionStream(compressed);
            var back = new byte[bytes.Length + 1];
            var read = 0;
            int last;
            while ((last = await decompressing.ReadAsync(back.AsMemory(read, Math.Min(back.Length - read, random.Next(1, 50_000))))) > 0)
                read += last;
            Assert.Equal(bytes.Length, read);
            Assert.True(bytes.AsSpan().SequenceEqual(back.AsSpan(0, read)));
        }
    }

    private RequestContext Begin(string accepted)
    {
        var features = new FeatureCollection();
        features.Set<IHttpRequestFeature>(new HttpRequestFeature { Method = "GET", QueryString = "" });
        features.Set<IHttpResponseFeature>(new HttpResponseFeature());
        features.Set<IHttpResponseBodyFeature>(new StreamResponseBodyFeature(_sent));
        // No handler runs, so no server is asked for anything.
        var context = new RequestContext(null!);
        context.Begin(features);
        context.Request.Headers.AcceptEncoding = accepted;
        return context;
    }

    /// <summary>The first characters of what was sent so far.</summary>
    private async Task<string> ReadAsync(string coding, int length)
    {
        await using var stream = Decompressing(coding);
        var text = new byte[length];
        await stream.ReadExactlyAsync(text);
        return Encoding.UTF8.GetString(text);
    }

    private Stream Decompressing(string coding)
    {
        var sent = new MemoryStream(_sent.ToArray());
        return coding == "zstd" ? new ZstdDecompressionStream(sent) : new GZipStream(sent, CompressionMode.Decompress);
    }
}

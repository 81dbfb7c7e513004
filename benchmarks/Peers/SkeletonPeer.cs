using System.Buffers;
using System.IO.Pipelines;
using System.Text.Json;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Bench.Peers;

/// <summary>
/// Kestrel, a parse of the JSON body, one merged durable write, and an answer of the size that a PUT has; nothing is indexed
/// or can be read again. The ceiling for a PUT.
/// </summary>
internal static class SkeletonPeer
{
    private static readonly byte[] Answer = """{"Id":"items/1-0-1000000","ChangeVector":"A:1000000-AAAAAAAAAAAAAAAAAAAAAA"}"""u8.ToArray();

    public static async Task RunAsync(int port, string file, CancellationToken cancel)
    {
        using var writer = new MergedWriter(file);
        await PeerHost.RunAsync(port, http => PutAsync(http, writer), cancel);
    }

    private static async Task PutAsync(HttpContext http, MergedWriter writer)
    {
        PipeReader reader = http.Request.BodyReader;
        ReadResult read = await reader.ReadAsync();
        while (!read.IsCompleted)
        {
            reader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
            read = await reader.ReadAsync();
        }
        int length = checked((int)read.Buffer.Length);
        byte[] body = ArrayPool<byte>.Shared.Rent(length);
        read.Buffer.CopyTo(body);
        reader.AdvanceTo(read.Buffer.End);
        Parse(body.AsSpan(0, length));
        await writer.WriteAsync(body.AsMemory(0, length));
        ArrayPool<byte>.Shared.Return(body);
        http.Response.StatusCode = StatusCodes.Status201Created;
        http.Response.ContentType = "application/json; charset=utf-8";
        http.Response.ContentLength = Answer.Length;
        await http.Response.BodyWriter.WriteAsync(Answer);
    }

    private static void Parse(ReadOnlySpan<byte> body)
    {
        var json = new Utf8JsonReader(body);
        while (json.Read()) { }
    }
}

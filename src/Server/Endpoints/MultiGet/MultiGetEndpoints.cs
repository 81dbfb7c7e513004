using System.Text.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.MultiGet;

/// <summary>Several reads in one request: each is answered as if it had come alone.</summary>
internal static class MultiGetEndpoints
{
    public const int MaxRequests = 1024;

    private const int PieceBytes = 1024 * 1024;

    public static void Map(Router router) => router.Database("POST", "/multi_get", RequiredRight.DatabaseRead, Post);

    private static async Task Post(RequestContext request)
    {
        request.Database();
        List<InnerRequest> inner;
        using (var body = await RequestBody.ReadAsync(request))
            inner = MultiGetBody.Parse(body.Bytes);
        if (inner.Count > MaxRequests)
            throw new BadRequestException($"A multi_get of {inner.Count:N0} requests is over the limit of {MaxRequests:N0}.");
        request.Response.Write("{\"Results\":["u8);
        for (var i = 0; i < inner.Count; i++)
        {
            if (i > 0)
                request.Response.Write((byte)',');
            await AnswerAsync(request, inner[i]);
        }
        request.Response.Write("]}"u8);
        await request.EndPiecesAsync();
    }

    private static async Task AnswerAsync(RequestContext request, InnerRequest inner)
    {
        if (inner.Path.TrimEnd('/').EndsWith("/multi_get", StringComparison.OrdinalIgnoreCase))
            throw new BadRequestException("A multi_get cannot hold another one.");
        using var answer = await request.Server.Dispatcher.AnswerInnerAsync(inner, request);
        var response = request.Response;
        var json = request.Json();
        json.WriteStartObject();
        json.WriteNumber("StatusCode"u8, answer.Status);
        json.WriteStartObject("Headers"u8);
        foreach (var (name, value) in answer.Headers)
            json.WriteString(name, value);
        json.WriteEndObject();
        json.WritePropertyName("Result"u8);
        json.Flush();
        if (answer.Body.Length == 0)
            response.Write("null"u8);
        else
            await request.AppendAsync(answer.Body, PieceBytes);
        response.Write("}"u8);
    }
}

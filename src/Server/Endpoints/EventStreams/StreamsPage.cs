using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.EventStreams;

/// <summary>Answers with stream ids, in the order of first appends, a short read transaction for each piece.</summary>
internal static class StreamsPage
{
    private const int PieceBytes = 1024 * 1024;

    public static async Task SendAsync(RequestContext request)
    {
        var database = request.Database();
        var last = request.Query.NonNegative("after", 0);
        var toTake = request.Query.NonNegative("max", Limits.DefaultEventsPerAnswer);
        var isFirst = true;
        var isEnd = false;
        Write($"{{\"databaseId\":\"{database.IdText}\",\"streams\":[");
        while (true)
        {
            using (var reader = database.OpenRead("GET /events/streams"))
            using (var events = new EventStreamsReader(reader))
            {
                var cursor = reader;
                isEnd = toTake > 0 && events.Streams(last, (number, id) => Take(number, id) && toTake > 0 && !cursor.IsDue);
            }
            if (isEnd || toTake == 0)
                break;
            await request.GoOnAsync(PieceBytes);
        }
        Write($"],\"next\":{last},\"isEnd\":{(isEnd ? "true" : "false")}}}");
        await request.EndPiecesAsync();

        bool Take(long number, ReadOnlySpan<byte> id)
        {
            Write($"{(isFirst ? "" : ",")}{{\"number\":{number},\"id\":\"");
            request.Response.Write(JsonEncodedText.Encode(id, JavaScriptEncoder.UnsafeRelaxedJsonEscaping).EncodedUtf8Bytes);
            request.Response.Write("\"}"u8);
            isFirst = false;
            last = number;
            toTake--;
            return request.Response.Length < PieceBytes;
        }

        void Write(FormattableString text) => request.Response.Write(Encoding.UTF8.GetBytes(text.ToString(CultureInfo.InvariantCulture)));
    }
}

using System.Buffers;
using System.Buffers.Text;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Reading;
using Jackdaw.Storage;

namespace Jackdaw.Documents.EventStreams;

/// <summary>
/// Makes the document of an event, in memory that is used again for the next. What it has: docs/event-streams.md, "Events as documents".
/// </summary>
internal sealed class EventDocument(ChangeVectorHistory changeVectors)
{
    /// <summary>Whole numbers up to it have a double of their own; larger ones are written as texts.</summary>
    private const long MaxExactNumber = 1L << 53;

    /// <summary>Bytes encoded at once; a multiple of three, so that no padding comes in between.</summary>
    private const int Base64Piece = 48 * 1024;

    private readonly byte[] _id = new byte[EventDocumentId.MaxBytes];
    private readonly byte[] _changeVector = new byte[ChangeVector.MaxElementBytes];
    private readonly ArrayBufferWriter<byte> _body = new();

    /// <summary>Valid until the next is made and as long as what it is made of.</summary>
    public Document Make(StoredEvent stored)
    {
        _body.ResetWrittenCount();
        WriteBody(stored);
        int idLength = EventDocumentId.Write(stored.StreamNumber, stored.Number, _id);
        int vectorLength = changeVectors.Write(stored.Position, _changeVector);
        return new Document
        {
            Id = _id.AsSpan(0, idLength),
            LowerId = _id.AsSpan(0, idLength),
            Etag = stored.Position,
            ChangeVector = _changeVector.AsSpan(0, vectorLength),
            LastModifiedTicks = Math.Min(stored.Ticks, DateTime.MaxValue.Ticks),
            Collection = CollectionNames.Events,
            HasCollection = true,
            Body = _body.WrittenSpan,
            IsDeleted = stored.IsDeleted,
            StreamId = stored.StreamId,
        };
    }

    private void WriteBody(in StoredEvent stored)
    {
        _body.Write("{\"stream\":\""u8);
        JsonEscape.Write(stored.StreamId, _body);
        _body.Write("\",\"number\":"u8);
        WriteNumber(stored.Number);
        _body.Write(",\"position\":"u8);
        WriteNumber(stored.Position);
        _body.Write(",\"ticks\":\""u8);
        WriteDigits(stored.Ticks);
        _body.Write("\""u8);
        WriteText(",\"writer\":\""u8, stored.Writer);
        if (stored.Serializer != 0)
        {
            _body.Write(",\"serializer\":"u8);
            WriteDigits(stored.Serializer);
        }
        WriteText(",\"manifest\":\""u8, stored.Manifest);
        WriteText(",\"adapterManifest\":\""u8, stored.AdapterManifest);
        for (int i = 0; i < stored.TagCount; i++)
            WriteText(i == 0 ? ",\"tags\":[\""u8 : ",\""u8, stored.Tag(i));
        if (stored.TagCount > 0)
            _body.Write("]"u8);
        if (stored.IsJson)
            WriteJson(stored.Payload);
        else
            WriteBase64(stored.Payload);
    }

    private void WriteText(ReadOnlySpan<byte> before, ReadOnlySpan<byte> text)
    {
        if (text.IsEmpty)
            return;
        _body.Write(before);
        JsonEscape.Write(text, _body);
        _body.Write("\""u8);
    }

    private void WriteNumber(long number)
    {
        if (number <= MaxExactNumber)
        {
            WriteDigits(number);
            return;
        }
        _body.Write("\""u8);
        WriteDigits(number);
        _body.Write("\""u8);
    }

    private void WriteDigits(long number)
    {
        Invariant.Require(Utf8Formatter.TryFormat(number, _body.GetSpan(20), out int digits));
        _body.Advance(digits);
    }

    /// <summary>To the letter, but on one line: raw control characters stand between tokens only.</summary>
    private void WriteJson(ReadOnlySpan<byte> payload)
    {
        _body.Write(",\"payload\":"u8);
        while (!payload.IsEmpty)
        {
            int control = payload.IndexOfAnyInRange((byte)0, (byte)0x1F);
            int plain = control < 0 ? payload.Length : control;
            _body.Write(payload[..plain]);
            if (control >= 0)
                _body.Write(" "u8);
            payload = payload[Math.Min(payload.Length, plain + 1)..];
        }
        _body.Write("}"u8);
    }

    private void WriteBase64(ReadOnlySpan<byte> payload)
    {
        _body.Write(",\"payloadBase64\":\""u8);
        while (!payload.IsEmpty)
        {
            var piece = payload[..Math.Min(payload.Length, Base64Piece)];
            var room = _body.GetSpan(Base64.GetMaxEncodedToUtf8Length(piece.Length));
            Base64.EncodeToUtf8(piece, room, out _, out int written);
            _body.Advance(written);
            payload = payload[piece.Length..];
        }
        _body.Write("\"}"u8);
    }
}

using System.Buffers;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Reading;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Json;

/// <summary>Documents as they go over the wire.</summary>
public static class DocumentJson
{
    /// <summary>Bytes written at once: a larger document goes out in pieces of this size.</summary>
    private const int PieceBytes = 32 << 10;

    /// <summary>
    /// Writes <c>{body…,"@metadata":{client's keys…,"@collection","@change-vector","@flags"?,"@id","@last-modified"}}</c> in
    /// UTF-8, on one line, without allocating.
    /// </summary>
    public static void Write(in Document document, IBufferWriter<byte> output)
    {
        var body = document.Body;
        Invariant.Require(body.Length >= 2 && body[0] == (byte)'{' && body[^1] == (byte)'}');
        Copy(body[..^1], output);
        Copy(body.Length > 2 ? ",\"@metadata\":{"u8 : "\"@metadata\":{"u8, output);
        WriteMetadataMembers(document, output);
        Copy("}}"u8, output);
    }

    /// <summary>Writes <c>{"@metadata":{…}}</c> alone.</summary>
    public static void WriteMetadataOnly(in Document document, IBufferWriter<byte> output)
    {
        Copy("{\"@metadata\":{"u8, output);
        WriteMetadataMembers(document, output);
        Copy("}}"u8, output);
    }

    private static void WriteMetadataMembers(in Document document, IBufferWriter<byte> output)
    {
        if (!document.Metadata.IsEmpty)
        {
            Copy(document.Metadata, output);
            Copy(","u8, output);
        }
        if (document.HasCollection)
        {
            Copy("\"@collection\":\""u8, output);
            JsonEscape.Write(document.Collection, output);
            Copy("\","u8, output);
        }
        Copy("\"@change-vector\":\""u8, output);
        Copy(document.ChangeVector, output);
        Copy("\","u8, output);
        if (document.Flags != DocumentFlags.None)
        {
            Copy("\"@flags\":\""u8, output);
            WriteFlags(document.Flags, output);
            Copy("\","u8, output);
        }
        Copy("\"@id\":\""u8, output);
        JsonEscape.Write(document.Id, output);
        Copy("\",\"@last-modified\":\""u8, output);
        output.Advance(ProtocolDate.Format(document.LastModifiedTicks, output.GetSpan(ProtocolDate.Length + 1), withZ: true));
        Copy("\""u8, output);
    }

    /// <summary>Flags as <c>@flags</c> shows them: names joined by <c>, </c>.</summary>
    public static void WriteFlags(DocumentFlags flags, IBufferWriter<byte> output)
    {
        bool first = true;
        WriteFlag(flags, DocumentFlags.HasRevisions, "HasRevisions"u8, ref first, output);
        WriteFlag(flags, DocumentFlags.HasAttachments, "HasAttachments"u8, ref first, output);
        WriteFlag(flags, DocumentFlags.HasCounters, "HasCounters"u8, ref first, output);
        WriteFlag(flags, DocumentFlags.HasTimeSeries, "HasTimeSeries"u8, ref first, output);
    }

    private static void WriteFlag(
        DocumentFlags flags,
        DocumentFlags flag,
        ReadOnlySpan<byte> name,
        ref bool first,
        IBufferWriter<byte> output
    )
    {
        if ((flags & flag) == 0)
            return;
        if (!first)
            Copy(", "u8, output);
        Copy(name, output);
        first = false;
    }

    private static void Copy(ReadOnlySpan<byte> bytes, IBufferWriter<byte> output)
    {
        while (bytes.Length > PieceBytes)
        {
            bytes[..PieceBytes].CopyTo(output.GetSpan(PieceBytes));
            output.Advance(PieceBytes);
            bytes = bytes[PieceBytes..];
        }
        bytes.CopyTo(output.GetSpan(bytes.Length));
        output.Advance(bytes.Length);
    }
}

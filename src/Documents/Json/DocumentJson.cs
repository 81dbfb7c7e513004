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

    /// <summary>More than the names of all members of the metadata take, with their quotes, all flags and the date.</summary>
    private const int MembersBytes = 256;

    /// <summary>
    /// Writes <c>{body…,"@metadata":{client's keys…,"@collection","@change-vector","@flags"?,"@id","@last-modified"}}</c> in
    /// UTF-8, on one line, without allocating.
    /// </summary>
    public static void Write(in Document document, IBufferWriter<byte> output)
    {
        var body = document.Body;
        Invariant.Require(body.Length >= 2 && body[0] == (byte)'{' && body[^1] == (byte)'}');
        long most =
            MembersBytes
            + (long)body.Length
            + document.Metadata.Length
            + document.ChangeVector.Length
            + JsonEscape.LongestEscape * ((long)document.Id.Length + document.Collection.Length);
        if (most > PieceBytes)
        {
            Write(document, ref output);
            return;
        }
        var room = new RoomWriter(output.GetSpan((int)most));
        Write(document, ref room);
        output.Advance(room.Written);
    }

    /// <summary>Writes <c>{"@metadata":{…}}</c> alone.</summary>
    public static void WriteMetadataOnly(in Document document, IBufferWriter<byte> output)
    {
        Copy("{\"@metadata\":{"u8, ref output);
        WriteMetadataMembers(document, ref output);
        Copy("}}"u8, ref output);
    }

    private static void Write<TOutput>(in Document document, ref TOutput output)
        where TOutput : IBufferWriter<byte>, allows ref struct
    {
        var body = document.Body;
        Copy(body[..^1], ref output);
        Copy(body.Length > 2 ? ",\"@metadata\":{"u8 : "\"@metadata\":{"u8, ref output);
        WriteMetadataMembers(document, ref output);
        Copy("}}"u8, ref output);
    }

    private static void WriteMetadataMembers<TOutput>(in Document document, ref TOutput output)
        where TOutput : IBufferWriter<byte>, allows ref struct
    {
        if (!document.Metadata.IsEmpty)
        {
            Copy(document.Metadata, ref output);
            Copy(","u8, ref output);
        }
        if (document.HasCollection)
        {
            Copy("\"@collection\":\""u8, ref output);
            JsonEscape.Write(document.Collection, ref output);
            Copy("\","u8, ref output);
        }
        Copy("\"@change-vector\":\""u8, ref output);
        Copy(document.ChangeVector, ref output);
        Copy("\","u8, ref output);
        if (document.Flags != DocumentFlags.None)
        {
            Copy("\"@flags\":\""u8, ref output);
            WriteFlags(document.Flags, ref output);
            Copy("\","u8, ref output);
        }
        Copy("\"@id\":\""u8, ref output);
        JsonEscape.Write(document.Id, ref output);
        Copy("\",\"@last-modified\":\""u8, ref output);
        output.Advance(ProtocolDate.Format(document.LastModifiedTicks, output.GetSpan(ProtocolDate.Length + 1), withZ: true));
        Copy("\""u8, ref output);
    }

    /// <summary>Flags as <c>@flags</c> shows them: names joined by <c>, </c>.</summary>
    public static void WriteFlags(DocumentFlags flags, IBufferWriter<byte> output)
    {
        WriteFlags(flags, ref output);
    }

    private static void WriteFlags<TOutput>(DocumentFlags flags, ref TOutput output)
        where TOutput : IBufferWriter<byte>, allows ref struct
    {
        bool first = true;
        WriteFlag(flags, DocumentFlags.HasRevisions, "HasRevisions"u8, ref first, ref output);
        WriteFlag(flags, DocumentFlags.HasAttachments, "HasAttachments"u8, ref first, ref output);
        WriteFlag(flags, DocumentFlags.HasCounters, "HasCounters"u8, ref first, ref output);
        WriteFlag(flags, DocumentFlags.HasTimeSeries, "HasTimeSeries"u8, ref first, ref output);
    }

    private static void WriteFlag<TOutput>(
        DocumentFlags flags,
        DocumentFlags flag,
        ReadOnlySpan<byte> name,
        ref bool first,
        ref TOutput output
    )
        where TOutput : IBufferWriter<byte>, allows ref struct
    {
        if ((flags & flag) == 0)
            return;
        if (!first)
            Copy(", "u8, ref output);
        Copy(name, ref output);
        first = false;
    }

    private static void Copy<TOutput>(ReadOnlySpan<byte> bytes, ref TOutput output)
        where TOutput : IBufferWriter<byte>, allows ref struct
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

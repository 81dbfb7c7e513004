using System.Text.Json;
using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Ids;

namespace Jackdaw.Documents.Json;

/// <summary>Reads a document's <c>@metadata</c>: keeps the client's members raw, drops the server's, takes the collection out.</summary>
internal static class MetadataSplitter
{
    /// <summary>The reader stands on the name <c>@metadata</c> and is left at the end of its value. A later call replaces what an
    /// earlier one found.</summary>
    public static void Read(ref Utf8JsonReader reader, ReadOnlySpan<byte> source, ref SplitDocument split, ref CommandBuffer buffer)
    {
        split.Metadata = default;
        split.Collection = default;
        split.LowerCollection = default;
        split.Dates = default;
        reader.Read();
        if (reader.TokenType == JsonTokenType.Null)
            return;
        if (reader.TokenType != JsonTokenType.StartObject)
            throw new InvalidDocumentException(
                $"@metadata must be a JSON object, and this is {DocumentSplitter.Describe(reader.TokenType)}."
            );
        // The collection's name is put behind the members, so that these stay in one piece: remember where it is until then.
        int membersStart = buffer.Length;
        bool hasCollection = false;
        Utf8JsonReader collection = default;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            int nameStart = (int)reader.TokenStartIndex;
            if (JsonName.Is(in reader, "@collection"u8))
            {
                reader.Read();
                hasCollection = true;
                collection = reader;
                reader.Skip();
                continue;
            }
            bool isServers = IsServers(ref reader);
            if (!TryReadDate(ref reader, ref split))
                reader.Skip();
            if (isServers)
                continue;
            if (buffer.Length > membersStart)
                buffer.Append(","u8);
            DocumentSplitter.AppendOnOneLine(source[nameStart..(int)reader.BytesConsumed], ref buffer);
        }
        split.Metadata = new ByteRange(membersStart, buffer.Length - membersStart);
        if (hasCollection)
            ReadCollection(ref collection, ref split, ref buffer);
    }

    private static bool IsServers(ref Utf8JsonReader reader)
    {
        var name = reader.ValueSpan;
        if (name.IsEmpty || (name[0] != (byte)'@' && !reader.ValueIsEscaped))
            return false;
        return JsonName.Is(in reader, "@id"u8)
            || JsonName.Is(in reader, "@change-vector"u8)
            || JsonName.Is(in reader, "@last-modified"u8)
            || JsonName.Is(in reader, "@flags"u8)
            || JsonName.Is(in reader, "@attachments"u8)
            || JsonName.Is(in reader, "@counters"u8)
            || JsonName.Is(in reader, "@timeseries"u8)
            || JsonName.Is(in reader, "@index-score"u8)
            || JsonName.Is(in reader, "@spatial"u8)
            || JsonName.Is(in reader, "@projection"u8);
    }

    /// <summary>The reader stands on a member's name; it is left on the value if that is a date.</summary>
    private static bool TryReadDate(ref Utf8JsonReader reader, ref SplitDocument split)
    {
        var name = reader.ValueSpan;
        if (name.IsEmpty || (name[0] != (byte)'@' && !reader.ValueIsEscaped))
            return false;
        if (JsonName.Is(in reader, "@expires"u8))
            split.Dates = split.Dates with { Expires = DocumentDate.Read(ref reader, "@expires") };
        else if (JsonName.Is(in reader, "@refresh"u8))
            split.Dates = split.Dates with { Refresh = DocumentDate.Read(ref reader, "@refresh") };
        else
            return false;
        return true;
    }

    private static void ReadCollection(ref Utf8JsonReader value, ref SplitDocument split, ref CommandBuffer buffer)
    {
        if (value.TokenType == JsonTokenType.Null)
            return;
        if (value.TokenType != JsonTokenType.String)
            throw new InvalidDocumentException($"@collection must be a string, and this is {DocumentSplitter.Describe(value.TokenType)}.");
        if (value.ValueSpan.Length > Limits.MaxCollectionNameBytes * 6)
            throw TooLong(value.ValueSpan.Length);
        int start = buffer.Length;
        int length;
        try
        {
            length = value.CopyString(buffer.GetSpan(value.ValueSpan.Length));
        }
        catch (InvalidOperationException invalid)
        {
            throw new InvalidDocumentException(
                "@collection must be valid text: this one has bytes that are not UTF-8, or half a surrogate pair.",
                invalid
            );
        }
        if (length > Limits.MaxCollectionNameBytes)
            throw TooLong(length);
        if (length == 0)
            return;
        if (buffer.GetSpan(length)[..length].Contains<byte>(0))
            throw new InvalidDocumentException("@collection cannot contain the character NUL.");
        buffer.Advance(length);
        split.Collection = new ByteRange(start, length);
        var room = buffer.GetSpan((length * 3 / 2) + 1);
        int lower = DocumentId.WriteLower(buffer.Slice(split.Collection), room);
        if (lower < 0)
            throw new InvalidDocumentException("@collection must be valid text.");
        split.LowerCollection = new ByteRange(buffer.Length, lower);
        buffer.Advance(lower);
    }

    private static TooLargeException TooLong(int length) =>
        new("The name of the collection (bytes of UTF-8)", length, Limits.MaxCollectionNameBytes, setting: null);
}

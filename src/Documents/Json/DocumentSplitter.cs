using System.Buffers;
using System.Text.Json;
using System.Text.Unicode;
using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Errors;

namespace Jackdaw.Documents.Json;

/// <summary>
/// Takes a document's JSON apart in one forward pass, checking it on the way: body, client metadata, collection. The body stays
/// where it is unless it
/// has line breaks or tabs (between tokens, the only place where JSON allows them raw), which are left out so that a document
/// lies on one line.
/// </summary>
internal static class DocumentSplitter
{
    public static JsonReaderOptions ReaderOptions => new() { MaxDepth = Limits.MaxJsonDepth };

    /// <summary>A whole text: one object, nothing after it but white space.</summary>
    public static SplitDocument Split(ReadOnlySpan<byte> json, ref CommandBuffer buffer)
    {
        if (json.StartsWith("\uFEFF"u8))
            throw new InvalidDocumentException("A document must not begin with a byte order mark.");
        if (json.Trim(s_whiteSpace).IsEmpty)
            throw new InvalidDocumentException("A document cannot be empty: expected a JSON object.");
        var reader = new Utf8JsonReader(json, ReaderOptions);
        try
        {
            reader.Read();
            var split = SplitObject(ref reader, json, ref buffer);
            if (reader.Read())
                throw new InvalidDocumentException("There is more text after the end of the document.");
            return split;
        }
        catch (JsonException malformed)
        {
            throw InvalidDocumentException.Malformed(malformed, reader.CurrentDepth);
        }
    }

    /// <summary>An object inside a larger text over which the reader was made; the reader stands on its start and is left on its
    /// end.</summary>
    public static SplitDocument Split(ref Utf8JsonReader reader, ReadOnlySpan<byte> source, ref CommandBuffer buffer)
    {
        try
        {
            return SplitObject(ref reader, source, ref buffer);
        }
        catch (JsonException malformed)
        {
            throw InvalidDocumentException.Malformed(malformed, reader.CurrentDepth);
        }
    }

    private static SplitDocument SplitObject(ref Utf8JsonReader reader, ReadOnlySpan<byte> source, ref CommandBuffer buffer)
    {
        if (reader.TokenType != JsonTokenType.StartObject)
            throw new InvalidDocumentException($"A document must be a JSON object, and this is {Describe(reader.TokenType)}.");
        int start = (int)reader.TokenStartIndex;
        var metadataMember = default(ByteRange);
        int metadataMembers = 0;
        var split = default(SplitDocument);
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            if (!JsonName.Is(in reader, "@metadata"u8))
            {
                reader.Skip();
                continue;
            }
            int nameStart = (int)reader.TokenStartIndex;
            MetadataSplitter.Read(ref reader, source, ref split, ref buffer);
            metadataMember = new ByteRange(nameStart, (int)reader.BytesConsumed - nameStart);
            metadataMembers++;
        }
        int end = (int)reader.BytesConsumed;
        var whole = source[start..end];
        if (!Utf8.IsValid(whole))
            throw new InvalidDocumentException("The document has bytes that are not valid UTF-8.");
        if (metadataMembers > 1)
        {
            CopyBodyByMembers(source[start..end], ref split, ref buffer);
            return split;
        }
        SplitBody(source, start, end, metadataMember, ref split);
        if (HasControlBytes(source, split.BodyHead) || HasControlBytes(source, split.BodyTail))
            CopyBodyOnOneLine(source, ref split, ref buffer);
        return split;
    }

    /// <summary>Cuts the member out of the body, with the one comma too many.</summary>
    private static void SplitBody(ReadOnlySpan<byte> source, int start, int end, ByteRange member, ref SplitDocument split)
    {
        if (member.IsEmpty)
        {
            // An object without members is always stored as {}.
            bool isEmpty = source[(start + 1)..(end - 1)].Trim(s_whiteSpace).IsEmpty;
            split.BodyHead = isEmpty ? new ByteRange(start, 1) : new ByteRange(start, end - start);
            split.BodyTail = isEmpty ? new ByteRange(end - 1, 1) : default;
            return;
        }
        int headEnd = start + source[start..member.Start].TrimEnd(s_whiteSpaceAndComma).Length;
        int tailStart = end - source[member.End..end].TrimStart(s_whiteSpace).Length;
        if (headEnd == start + 1 && source[tailStart] == (byte)',')
            tailStart++;
        split.BodyHead = new ByteRange(start, headEnd - start);
        split.BodyTail = new ByteRange(tailStart, end - tailStart);
        if (headEnd == start + 1 && source[tailStart..(end - 1)].Trim(s_whiteSpace).IsEmpty)
            split.BodyTail = new ByteRange(end - 1, 1);
    }

    /// <summary>The rare text with several <c>@metadata</c>: the last one counts, none stays in the body.</summary>
    private static void CopyBodyByMembers(ReadOnlySpan<byte> document, ref SplitDocument split, ref CommandBuffer buffer)
    {
        var reader = new Utf8JsonReader(document, new JsonReaderOptions { MaxDepth = int.MaxValue });
        reader.Read();
        int bodyStart = buffer.Length;
        buffer.Append("{"u8);
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            int nameStart = (int)reader.TokenStartIndex;
            bool isMetadata = JsonName.Is(in reader, "@metadata"u8);
            reader.Skip();
            if (isMetadata)
                continue;
            if (buffer.Length > bodyStart + 1)
                buffer.Append(","u8);
            AppendOnOneLine(document[nameStart..(int)reader.BytesConsumed], ref buffer);
        }
        buffer.Append("}"u8);
        SetOwnedBody(bodyStart, ref split, buffer);
    }

    private static void CopyBodyOnOneLine(ReadOnlySpan<byte> source, ref SplitDocument split, ref CommandBuffer buffer)
    {
        int bodyStart = buffer.Length;
        AppendOnOneLine(source.Slice(split.BodyHead.Start, split.BodyHead.Length), ref buffer);
        AppendOnOneLine(source.Slice(split.BodyTail.Start, split.BodyTail.Length), ref buffer);
        SetOwnedBody(bodyStart, ref split, buffer);
    }

    private static void SetOwnedBody(int bodyStart, ref SplitDocument split, in CommandBuffer buffer)
    {
        split.BodyIsOwned = true;
        split.BodyHead = new ByteRange(bodyStart, buffer.Length - bodyStart);
        split.BodyTail = default;
    }

    /// <summary>Copies valid JSON without its raw control characters: they can stand between tokens only, where they mean
    /// nothing.</summary>
    internal static void AppendOnOneLine(ReadOnlySpan<byte> json, ref CommandBuffer buffer)
    {
        var destination = buffer.GetSpan(json.Length);
        int written = 0;
        while (!json.IsEmpty)
        {
            int plain = json.IndexOfAnyInRange<byte>(0, 0x1F);
            if (plain < 0)
                plain = json.Length;
            json[..plain].CopyTo(destination[written..]);
            written += plain;
            json = json[Math.Min(json.Length, plain + 1)..];
        }
        buffer.Advance(written);
    }

    private static bool HasControlBytes(ReadOnlySpan<byte> source, ByteRange range) =>
        source.Slice(range.Start, range.Length).ContainsAnyInRange<byte>(0, 0x1F);

    internal static string Describe(JsonTokenType token) =>
        token switch
        {
            JsonTokenType.StartArray => "an array",
            JsonTokenType.StartObject => "an object",
            JsonTokenType.String => "a string",
            JsonTokenType.Number => "a number",
            JsonTokenType.Null => "null",
            JsonTokenType.True or JsonTokenType.False => "a boolean",
            _ => token.ToString(),
        };

    private static ReadOnlySpan<byte> s_whiteSpace => " \t\r\n"u8;

    private static ReadOnlySpan<byte> s_whiteSpaceAndComma => " \t\r\n,"u8;
}

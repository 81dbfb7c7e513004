using System.Buffers;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Reading;
using Jackdaw.Storage;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Indexing.Queries;

/// <summary>What <c>select a, b.c as d, id()</c> makes of each document. Immutable.</summary>
public sealed class QueryProjection
{
    /// <summary>A value above this goes to the output in pieces of this size.</summary>
    private const int LargeValueBytes = 32 << 10;

    private readonly IReadOnlyList<ProjectedField> _fields;

    internal QueryProjection(IReadOnlyList<ProjectedField> fields) => _fields = fields;

    /// <summary>The names of the projected fields, in their order.</summary>
    public IEnumerable<string> Names => _fields.Select(projected => projected.Name);

    /// <summary>
    /// Writes the object: a member a field (null where the document has no such field; the elements' values as an array where the
    /// path goes through one), values with the text they are stored with; then <c>@metadata</c> with <c>@projection</c>,
    /// <c>@change-vector</c>, <c>@id</c> and <c>@last-modified</c>.
    /// </summary>
    /// <param name="document">Of which.</param>
    /// <param name="writer">Writes to <paramref name="output"/>, without validation.</param>
    /// <param name="output">Takes large values piece by piece: the writer would ask it for memory for the whole.</param>
    public void Write(in Document document, Utf8JsonWriter writer, IBufferWriter<byte> output)
    {
        ArgumentNullException.ThrowIfNull(writer);
        ArgumentNullException.ThrowIfNull(output);
        writer.WriteStartObject();
        WriteFields(document, writer, output);
        writer.WritePropertyName("@metadata"u8);
        WriteMetadata(document, writer);
        writer.WriteEndObject();
    }

    /// <summary>Writes the object without metadata.</summary>
    internal void WriteMembers(in Document document, Utf8JsonWriter writer, IBufferWriter<byte> output)
    {
        writer.WriteStartObject();
        WriteFields(document, writer, output);
        writer.WriteEndObject();
    }

    /// <summary>Writes the metadata of a projected document: <c>@projection</c>, <c>@change-vector</c>, <c>@id</c> and
    /// <c>@last-modified</c>.</summary>
    internal static void WriteMetadata(in Document document, Utf8JsonWriter writer)
    {
        writer.WriteStartObject();
        writer.WriteBoolean("@projection"u8, true);
        writer.WriteString("@change-vector"u8, document.ChangeVector);
        writer.WriteString("@id"u8, document.Id);
        WriteLastModified(document, writer, "@last-modified"u8);
        writer.WriteEndObject();
    }

    private void WriteFields(in Document document, Utf8JsonWriter writer, IBufferWriter<byte> output)
    {
        var matches = new List<Range>();
        foreach (var field in _fields)
        {
            writer.WritePropertyName(field.Name);
            switch (field.Source)
            {
                case ProjectedFieldSource.Id:
                    writer.WriteStringValue(document.Id);
                    break;
                case ProjectedFieldSource.Metadata:
                    WriteMetadata(document, field, matches, writer, output);
                    break;
                default:
                    WriteField(document.Body, field, matches, writer, output);
                    break;
            }
        }
    }

    /// <summary>Writes how many elements the array at the path has; of several arrays a list. False: there is none.</summary>
    private static bool WriteCounts(ReadOnlySpan<byte> json, JsonFieldPath path, List<Range> matches, Utf8JsonWriter writer)
    {
        matches.Clear();
        var throughArray = path.Find(json, matches);
        if (!throughArray && matches.Count > 1)
            matches.RemoveRange(0, matches.Count - 1);
        var counts = new List<int>();
        foreach (var match in matches)
        {
            if (json[match][0] == (byte)'[')
                counts.Add(JsonFieldPath.ElementCount(json[match]));
        }
        if (counts.Count == 0)
            return false;
        if (!throughArray)
        {
            writer.WriteNumberValue(counts[0]);
            return true;
        }
        writer.WriteStartArray();
        foreach (var count in counts)
            writer.WriteNumberValue(count);
        writer.WriteEndArray();
        return true;
    }

    private static void WriteField(
        ReadOnlySpan<byte> json,
        ProjectedField field,
        List<Range> matches,
        Utf8JsonWriter writer,
        IBufferWriter<byte> output
    )
    {
        if (field.Counted is null || !WriteCounts(json, field.Counted, matches, writer))
            WriteValues(json, field.Path!, matches, writer, output);
    }

    private static void WriteValues(
        ReadOnlySpan<byte> json,
        JsonFieldPath path,
        List<Range> matches,
        Utf8JsonWriter writer,
        IBufferWriter<byte> output
    )
    {
        matches.Clear();
        var throughArray = path.Find(json, matches);
        long bytes = 0;
        foreach (var match in matches)
            bytes += match.GetOffsetAndLength(json.Length).Length;
        if (bytes > LargeValueBytes)
        {
            WriteLarge(json, matches, throughArray, writer, output);
            return;
        }

        if (throughArray)
        {
            writer.WriteStartArray();
            foreach (var match in matches)
                writer.WriteRawValue(json[match], skipInputValidation: true);
            writer.WriteEndArray();
        }
        else if (matches is [.., var last])
            writer.WriteRawValue(json[last], skipInputValidation: true);
        else
            writer.WriteNullValue();
    }

    /// <summary>Writes the values beside the writer, which is between a property's name and its value, and the comma before the next
    /// property: every projection ends with one more.</summary>
    private static void WriteLarge(
        ReadOnlySpan<byte> json,
        List<Range> matches,
        bool throughArray,
        Utf8JsonWriter writer,
        IBufferWriter<byte> output
    )
    {
        writer.Flush();
        if (throughArray)
            output.Write("["u8);
        for (var i = throughArray ? 0 : matches.Count - 1; i < matches.Count; i++)
        {
            if (throughArray && i > 0)
                output.Write(","u8);
            for (var value = json[matches[i]]; value.Length > 0; )
            {
                var piece = value[..Math.Min(value.Length, LargeValueBytes)];
                output.Write(piece);
                value = value[piece.Length..];
            }
        }

        output.Write(throughArray ? "],"u8 : ","u8);
    }

    /// <summary>The server's own keys come from the document's fields; the client's stand in its metadata text.</summary>
    private static void WriteMetadata(
        in Document document,
        ProjectedField field,
        List<Range> matches,
        Utf8JsonWriter writer,
        IBufferWriter<byte> output
    )
    {
        var path = field.Path!;
        var key = Encoding.UTF8.GetString(path.Segments[0].Name);
        switch (path.Segments.Count == 1 ? key : "")
        {
            case "@id":
                writer.WriteStringValue(document.Id);
                break;
            case "@collection" when document.HasCollection:
                writer.WriteStringValue(document.Collection);
                break;
            case "@change-vector":
                writer.WriteStringValue(document.ChangeVector);
                break;
            case "@last-modified":
                WriteLastModified(document, writer, default);
                break;
            case "@flags" when document.Flags != DocumentFlags.None:
                writer.WriteStringValue(document.Flags.ToString());
                break;
            default:
                WriteClientMetadata(document.Metadata, field, matches, writer, output);
                break;
        }
    }

    private static void WriteClientMetadata(
        ReadOnlySpan<byte> members,
        ProjectedField field,
        List<Range> matches,
        Utf8JsonWriter writer,
        IBufferWriter<byte> output
    )
    {
        var json = BytePool.Requests.Rent(members.Length + 2);
        json[0] = (byte)'{';
        members.CopyTo(json.AsSpan(1));
        json[members.Length + 1] = (byte)'}';
        WriteField(json.AsSpan(0, members.Length + 2), field, matches, writer, output);
        BytePool.Requests.Return(json);
    }

    private static void WriteLastModified(in Document document, Utf8JsonWriter writer, ReadOnlySpan<byte> name)
    {
        Span<byte> date = stackalloc byte[ProtocolDate.Length + 1];
        var length = ProtocolDate.Format(document.LastModifiedTicks, date, withZ: true);
        Invariant.Require(length == date.Length);
        if (name.IsEmpty)
            writer.WriteStringValue(date);
        else
            writer.WriteString(name, date);
    }
}

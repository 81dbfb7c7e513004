using System.Buffers;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Search;

namespace Jackdaw.Indexing.Mapping.Automatic;

/// <summary>
/// Finds the values of fields by their paths in one forward scan over a document's JSON; one entry a document. What each kind of value
/// becomes: docs/indexing.md, "Automatic maps".
/// </summary>
internal sealed class AutomaticMap : IIndexMap
{
    /// <summary>The field that every index has: the document's id.</summary>
    public const string IdField = "id()";

    private const string MetadataMember = "@metadata";

    private static readonly FieldOptions s_id = new();
    private static readonly JsonReaderOptions s_json = new() { MaxDepth = Limits.MaxJsonDepth + 1 };

    private readonly AutomaticField[] _fields;
    private readonly PathNode _root = new("");
    private readonly MetadataValues? _metadata;
    private ushort _id;
    private byte[] _unescaped = [];

    /// <summary>Compiles a definition. Errors: a <see cref="FormatException"/> for a malformed path.</summary>
    public AutomaticMap(AutoIndexDefinition definition)
    {
        _fields = [.. definition.Fields.Select(field => new AutomaticField(field))];
        var metadata = new PathNode(MetadataMember);
        for (int i = 0; i < definition.Fields.Count; i++)
        {
            var path = FieldPath.Parse(definition.Fields[i].Path);
            if (path[0].Name == MetadataMember && path.Count > 1)
                metadata.Add([.. path.Skip(1)], i);
            else if (definition.Fields[i].Path != IdField)
                _root.Add(path, i);
        }
        if (metadata.HasMembers)
            _metadata = new MetadataValues(metadata);
    }

    public void Begin(IEntryWriter writer)
    {
        _id = writer.Field(IdField, s_id);
        foreach (var field in _fields)
            field.Begin(writer);
    }

    public void Map(in Document document, IEntryWriter writer)
    {
        writer.BeginEntry();
        writer.AddText(_id, document.Id);
        foreach (var field in _fields)
            field.BeginEntry();
        try
        {
            if (_root.HasMembers)
                Scan(document.Body, _root, writer);
            if (_metadata is not null)
                Scan(_metadata.Of(document), _metadata.Root, writer);
        }
        catch (Exception malformed) when (malformed is JsonException or InvalidOperationException)
        {
            throw new MappingException($"Its JSON cannot be read: {malformed.Message}", malformed);
        }
        foreach (var field in _fields)
            field.EndEntry(writer);
    }

    public void Dispose()
    {
        if (_unescaped.Length > 0)
            ArrayPool<byte>.Shared.Return(_unescaped);
        _unescaped = [];
        _metadata?.Dispose();
    }

    private void Scan(ReadOnlySpan<byte> json, PathNode root, IEntryWriter writer)
    {
        var reader = new Utf8JsonReader(json, s_json);
        if (reader.Read() && reader.TokenType == JsonTokenType.StartObject)
            ReadObject(ref reader, json, root, writer);
    }

    /// <summary>Stands on the object's begin; afterwards on its end.</summary>
    private void ReadObject(ref Utf8JsonReader reader, ReadOnlySpan<byte> json, PathNode node, IEntryWriter writer)
    {
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var wanted = Find(ref reader, node);
            reader.Read();
            if (wanted is null)
                reader.Skip();
            else
                ReadValue(ref reader, json, wanted, writer);
        }
    }

    private PathNode? Find(ref Utf8JsonReader reader, PathNode node)
    {
        var members = node.Members;
        var name = Text(ref reader);
        for (int i = 0; i < members.Count; i++)
        {
            if (name.SequenceEqual(members[i].Name))
                return members[i];
        }
        return null;
    }

    private void ReadValue(ref Utf8JsonReader reader, ReadOnlySpan<byte> json, PathNode node, IEntryWriter writer)
    {
        switch (reader.TokenType)
        {
            case JsonTokenType.StartObject:
                ReadInnerObject(ref reader, json, node.HasMembers ? node : null, node.Fields, writer);
                break;
            case JsonTokenType.StartArray:
                ReadArray(ref reader, json, node, writer);
                break;
            case JsonTokenType.Null:
                AddNull(node, writer);
                break;
            default:
                AddScalar(ref reader, node.Fields, writer);
                break;
        }
    }

    /// <summary>The object itself is a value of <paramref name="fields"/>, as its text.</summary>
    private void ReadInnerObject(
        ref Utf8JsonReader reader,
        ReadOnlySpan<byte> json,
        PathNode? inside,
        List<int> fields,
        IEntryWriter writer
    )
    {
        int start = (int)reader.TokenStartIndex;
        if (inside is null)
            reader.Skip();
        else
            ReadObject(ref reader, json, inside, writer);
        if (fields.Count == 0)
            return;
        var text = json[start..(int)reader.BytesConsumed];
        foreach (int field in fields)
            _fields[field].AddText(writer, text);
    }

    /// <summary>The elements are the values, those of arrays inside it too.</summary>
    private void ReadArray(ref Utf8JsonReader reader, ReadOnlySpan<byte> json, PathNode node, IEntryWriter writer)
    {
        bool isEmpty = true;
        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
        {
            isEmpty = false;
            switch (reader.TokenType)
            {
                case JsonTokenType.StartObject:
                    ReadInnerObject(ref reader, json, node.Elements, node.Fields, writer);
                    break;
                case JsonTokenType.StartArray:
                    ReadArray(ref reader, json, node, writer);
                    break;
                case JsonTokenType.Null:
                    foreach (int field in node.Fields)
                        _fields[field].AddNull(writer);
                    if (node.Elements is { } elements)
                        AddNull(elements, writer);
                    break;
                default:
                    AddScalar(ref reader, node.Fields, writer);
                    break;
            }
        }
        if (isEmpty)
            NoteEmptyArray(node);
    }

    /// <summary>Null at a place is null at each place inside.</summary>
    private void AddNull(PathNode node, IEntryWriter writer)
    {
        foreach (int field in node.Fields)
            _fields[field].AddNull(writer);
        foreach (var member in node.Members)
            AddNull(member, writer);
        if (node.Elements is { } elements)
            AddNull(elements, writer);
    }

    private void NoteEmptyArray(PathNode node)
    {
        foreach (int field in node.Fields)
            _fields[field].NoteEmptyArray();
        if (node.Elements is { } elements)
            NoteEmptyInside(elements);
    }

    private void NoteEmptyInside(PathNode node)
    {
        foreach (int field in node.Fields)
            _fields[field].NoteEmptyArray();
        foreach (var member in node.Members)
            NoteEmptyInside(member);
        if (node.Elements is { } elements)
            NoteEmptyInside(elements);
    }

    private void AddScalar(ref Utf8JsonReader reader, List<int> fields, IEntryWriter writer)
    {
        if (fields.Count == 0)
            return;
        switch (reader.TokenType)
        {
            case JsonTokenType.String:
                var text = Text(ref reader);
                foreach (int field in fields)
                    _fields[field].AddText(writer, text);
                break;
            case JsonTokenType.Number:
                if (!JsonNumbers.TryParse(reader.ValueSpan, out var number, out bool isBeyondDouble))
                    throw new MappingException("It has a number that cannot be read.");
                foreach (int field in fields)
                    _fields[field].AddNumber(writer, number, reader.ValueSpan, isBeyondDouble);
                break;
            default:
                // Booleans are the texts "true" and "false".
                foreach (int field in fields)
                    _fields[field].AddText(writer, reader.ValueSpan);
                break;
        }
    }

    private ReadOnlySpan<byte> Text(ref Utf8JsonReader reader)
    {
        if (!reader.ValueIsEscaped)
            return reader.ValueSpan;
        if (_unescaped.Length < reader.ValueSpan.Length)
        {
            if (_unescaped.Length > 0)
                ArrayPool<byte>.Shared.Return(_unescaped);
            _unescaped = ArrayPool<byte>.Shared.Rent(reader.ValueSpan.Length);
        }
        return _unescaped.AsSpan(0, JsonTexts.Unescape(reader.ValueSpan, _unescaped));
    }
}

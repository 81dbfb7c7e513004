using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Search;
using Jackdaw.Storage;

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
        catch (JsonException malformed)
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
        var scanner = new JsonScanner(json);
        if (scanner.Peek() == '{')
            ReadObject(ref scanner, root, writer);
    }

    /// <summary>Stands on the object's begin; afterwards behind its end.</summary>
    private void ReadObject(ref JsonScanner scanner, PathNode node, IEntryWriter writer)
    {
        if (!scanner.Enter((byte)'}'))
            return;
        do
        {
            if (Find(ref scanner, node) is { } wanted)
                ReadValue(ref scanner, wanted, writer);
            else
                scanner.PassValue();
        } while (scanner.GoesOn((byte)'}'));
    }

    /// <summary>Passes a member's name; null: nothing in the member is wanted.</summary>
    private PathNode? Find(ref JsonScanner scanner, PathNode node)
    {
        scanner.BeginName();
        var members = node.Members;
        foreach (var member in members)
        {
            if (member.IsPlain && scanner.TryPassName(member.QuotedName))
                return member;
        }
        var escaped = scanner.ReadName(out bool isEscaped);
        if (!isEscaped)
            return null;
        var name = Unescape(escaped);
        foreach (var member in members)
        {
            if (name.SequenceEqual(member.Name))
                return member;
        }
        return null;
    }

    private void ReadValue(ref JsonScanner scanner, PathNode node, IEntryWriter writer)
    {
        switch (scanner.Peek())
        {
            case (byte)'{':
                ReadInnerObject(ref scanner, node.HasMembers ? node : null, node.Fields, writer);
                break;
            case (byte)'[':
                ReadArray(ref scanner, node, node.Counts, writer);
                break;
            case (byte)'n':
                scanner.ReadLiteral();
                AddNull(node, writer);
                break;
            default:
                AddScalar(ref scanner, node.Fields, writer);
                break;
        }
    }

    /// <summary>The object itself is a value of <paramref name="fields"/>, as its text.</summary>
    private void ReadInnerObject(ref JsonScanner scanner, PathNode? inside, List<int> fields, IEntryWriter writer)
    {
        int start = scanner.Position;
        if (inside is null)
            scanner.PassValue();
        else
            ReadObject(ref scanner, inside, writer);
        foreach (int field in fields)
            _fields[field].AddText(writer, scanner.Since(start));
    }

    /// <summary>The elements are the values, those of arrays inside it too. Their number is the value of <paramref name="counts"/>.
    /// </summary>
    private void ReadArray(ref JsonScanner scanner, PathNode node, List<int>? counts, IEntryWriter writer)
    {
        int elementCount = 0;
        if (!scanner.Enter((byte)']'))
        {
            NoteEmptyArray(node);
            AddCount(elementCount, counts, writer);
            return;
        }
        do
        {
            elementCount++;
            switch (scanner.Peek())
            {
                case (byte)'{':
                    ReadInnerObject(ref scanner, node.Elements, node.Fields, writer);
                    break;
                case (byte)'[':
                    ReadArray(ref scanner, node, node.Elements?.Counts, writer);
                    break;
                case (byte)'n':
                    scanner.ReadLiteral();
                    foreach (int field in node.Fields)
                        _fields[field].AddNull(writer);
                    if (node.Elements is { } elements)
                        AddNull(elements, writer);
                    break;
                default:
                    AddScalar(ref scanner, node.Fields, writer);
                    break;
            }
        } while (scanner.GoesOn((byte)']'));
        AddCount(elementCount, counts, writer);
    }

    private void AddCount(int elementCount, List<int>? counts, IEntryWriter writer)
    {
        if (counts is null || counts.Count == 0)
            return;
        Span<byte> literal = stackalloc byte[11];
        bool isWritten = elementCount.TryFormat(literal, out int length, provider: CultureInfo.InvariantCulture);
        Invariant.Require(isWritten);
        AddNumber(literal[..length], counts, writer);
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

    private void AddScalar(ref JsonScanner scanner, List<int> fields, IEntryWriter writer)
    {
        switch (scanner.Peek())
        {
            case (byte)'"':
                var text = scanner.ReadString(out bool isEscaped);
                if (isEscaped && fields.Count > 0)
                    text = Unescape(text);
                foreach (int field in fields)
                    _fields[field].AddText(writer, text);
                break;
            case (byte)'t' or (byte)'f':
                // Booleans are the texts "true" and "false".
                var word = scanner.ReadLiteral();
                foreach (int field in fields)
                    _fields[field].AddText(writer, word);
                break;
            default:
                AddNumber(scanner.ReadLiteral(), fields, writer);
                break;
        }
    }

    private void AddNumber(ReadOnlySpan<byte> literal, List<int> fields, IEntryWriter writer)
    {
        if (fields.Count == 0)
            return;
        if (!JsonNumbers.TryParse(literal, out var number, out bool isBeyondDouble))
            throw new MappingException("It has a number that cannot be read.");
        foreach (int field in fields)
            _fields[field].AddNumber(writer, number, literal, isBeyondDouble);
    }

    private ReadOnlySpan<byte> Unescape(ReadOnlySpan<byte> escaped)
    {
        if (_unescaped.Length < escaped.Length)
        {
            if (_unescaped.Length > 0)
                ArrayPool<byte>.Shared.Return(_unescaped);
            _unescaped = ArrayPool<byte>.Shared.Rent(escaped.Length);
        }
        return _unescaped.AsSpan(0, JsonTexts.Unescape(escaped, _unescaped));
    }
}

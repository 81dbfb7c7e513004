using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Patching;
using Jackdaw.Scripting;
using Jackdaw.Server.Endpoints.Patching;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Batches;

/// <summary>
/// One command of a batch or a bulk insert, while it is read. A document that comes after <c>"Type":"PUT"</c> is parsed where it
/// stands; one that comes before is
/// passed over and parsed when the whole command is known.
/// </summary>
internal ref struct CommandText
{
    private string? _id;
    private string? _type;
    private string? _changeVector;
    private bool _idPrefixed;
    private PutCommand? _put;
    private Utf8JsonReader _document;
    private bool _hasDocument;
    private ReadOnlyMemory<byte> _patch;
    private ReadOnlyMemory<byte> _patchIfMissing;
    private ReadOnlyMemory<byte> _createIfMissing;
    private ReadOnlyMemory<byte> _ids;
    private ReadOnlyMemory<byte> _trackedEntities;
    private bool _returnDocument;
    private bool _forcesRevision;

    /// <summary>The id for messages.</summary>
    private readonly string ShownId => ShownText.Of(_id ?? "");

    /// <summary>The command's Type; null when it had none.</summary>
    public readonly string? Type => _type;

    /// <summary>Reads one object; the reader stands on its <c>{</c> and is left on its <c>}</c>.</summary>
    public static CommandText Read(ref Utf8JsonReader reader, BatchOperation batch, ReadOnlyMemory<byte> source, Limits limits)
    {
        if (reader.TokenType != JsonTokenType.StartObject)
            throw new BadRequestException("A command must be an object.");
        var command = new CommandText();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            command.ReadProperty(ref reader, batch, source, limits);
        return command;
    }

    /// <summary>Makes the command of what was read.</summary>
    /// <param name="batch">Takes the command.</param>
    /// <param name="source">The whole text.</param>
    /// <param name="limits">The database's.</param>
    /// <param name="scripts">For patches; null where there can be none.</param>
    public readonly void Complete(BatchOperation batch, ReadOnlyMemory<byte> source, Limits limits, ScriptEngine? scripts = null)
    {
        if (_put is not null && _type != "PUT")
            throw new BadRequestException($"The command of '{ShownId}' has two Types, PUT and {_type}.");
        switch (_type)
        {
            case "PUT" when _forcesRevision:
                throw new FeatureNotSupportedException(
                    $"ForceRevisionCreationStrategy in the command PUT of '{ShownId}' (there are no revisions)"
                );
            case "PUT":
                var put = _put ?? batch.AddPut();
                put.SetId(_id);
                put.SetExpectedChangeVector(_changeVector);
                if (!_hasDocument)
                    throw new BadRequestException($"The command PUT of '{ShownId}' has no Document.");
                if (_put is null)
                {
                    var document = _document;
                    SetDocument(put, ref document, source, limits);
                }
                break;
            case "DELETE":
                var delete = batch.AddDelete();
                delete.SetId(_id ?? throw new BadRequestException("A command DELETE has no Id."));
                if (_idPrefixed && _changeVector is not null)
                    throw new BadRequestException($"The command DELETE of the prefix '{ShownId}' cannot expect a change vector.");
                delete.IdPrefixed = _idPrefixed;
                delete.SetExpectedChangeVector(_changeVector);
                break;
            case "PATCH" when scripts is not null:
                CompletePatch(batch.AddPatch(), scripts, limits);
                break;
            case "BatchPATCH" when scripts is not null:
                CompleteBatchPatch(batch.AddBatchPatch(), scripts, limits);
                break;
            case "BatchTrackChanges" when scripts is not null:
                CompleteTrackChanges(batch.AddTrackChanges(), limits);
                break;
            case null:
                throw new BadRequestException("A command has no Type.");
            default:
                throw new FeatureNotSupportedException($"The command {_type}");
        }
    }

    private void ReadProperty(ref Utf8JsonReader reader, BatchOperation batch, ReadOnlyMemory<byte> source, Limits limits)
    {
        if (reader.ValueTextEquals("Id"u8))
            _id = ReadText(ref reader, "Id");
        else if (reader.ValueTextEquals("Type"u8))
            _type = ReadText(ref reader, "Type") switch
            {
                "PUT" => "PUT",
                "DELETE" => "DELETE",
                var other => other,
            };
        else if (reader.ValueTextEquals("ChangeVector"u8))
            _changeVector = ReadText(ref reader, "ChangeVector");
        else if (reader.ValueTextEquals("IdPrefixed"u8))
            _idPrefixed = ReadFlag(ref reader, "IdPrefixed");
        else if (reader.ValueTextEquals("Patch"u8))
            _patch = ReadRaw(ref reader, source);
        else if (reader.ValueTextEquals("PatchIfMissing"u8))
            _patchIfMissing = ReadRaw(ref reader, source);
        else if (reader.ValueTextEquals("CreateIfMissing"u8))
            _createIfMissing = ReadRaw(ref reader, source);
        else if (reader.ValueTextEquals("Ids"u8))
            _ids = ReadRaw(ref reader, source);
        else if (reader.ValueTextEquals("TrackedEntities"u8))
            _trackedEntities = ReadRaw(ref reader, source);
        else if (reader.ValueTextEquals("ReturnDocument"u8))
            _returnDocument = ReadFlag(ref reader, "ReturnDocument");
        else if (reader.ValueTextEquals("ForceRevisionCreationStrategy"u8))
            _forcesRevision = ReadText(ref reader, "ForceRevisionCreationStrategy") is not (null or "None");
        else if (reader.ValueTextEquals("Document"u8))
        {
            reader.Read();
            ReadDocument(ref reader, batch, source, limits);
        }
        else
        {
            reader.Read();
            reader.Skip();
        }
    }

    private void ReadDocument(ref Utf8JsonReader reader, BatchOperation batch, ReadOnlyMemory<byte> source, Limits limits)
    {
        if (_type == "PUT" && reader.TokenType == JsonTokenType.StartObject)
        {
            // A repeated property: the last one wins, here as everywhere.
            _put ??= batch.AddPut();
            SetDocument(_put, ref reader, source, limits);
        }
        else
        {
            if (reader.TokenType != JsonTokenType.StartObject && reader.TokenType != JsonTokenType.Null)
                throw new BadRequestException($"The Document of '{ShownId}' must be an object.");
            _document = reader;
            PassOver(ref reader);
        }
        _hasDocument = reader.TokenType == JsonTokenType.EndObject;
    }

    /// <summary>An error names the document: there may be thousands in the request.</summary>
    private readonly void SetDocument(PutCommand put, ref Utf8JsonReader reader, ReadOnlyMemory<byte> source, Limits limits)
    {
        try
        {
            put.SetDocument(ref reader, source, limits);
        }
        catch (InvalidDocumentException invalid) when (_id is not null)
        {
            throw new InvalidDocumentException($"Document '{ShownId}' is refused. {invalid.Message}", invalid);
        }
    }

    private static void PassOver(ref Utf8JsonReader reader)
    {
        try
        {
            reader.Skip();
        }
        catch (JsonException malformed)
        {
            throw InvalidDocumentException.Malformed(malformed, reader.CurrentDepth);
        }
    }

    private readonly void CompletePatch(PatchCommand patch, ScriptEngine scripts, Limits limits)
    {
        patch.Limits = limits;
        patch.SetId(_id ?? throw new BadRequestException("A command PATCH has no Id."));
        patch.SetExpectedChangeVector(_changeVector);
        patch.Patch = Compile(_patch, scripts, limits) ?? throw new BadRequestException($"The command PATCH of '{ShownId}' has no Patch.");
        patch.PatchIfMissing = Compile(_patchIfMissing, scripts, limits);
        patch.CreateIfMissing = _createIfMissing;
        patch.ReturnsModified = _returnDocument;
    }

    private readonly void CompleteBatchPatch(BatchPatchCommand patch, ScriptEngine scripts, Limits limits)
    {
        patch.Limits = limits;
        patch.Patch = Compile(_patch, scripts, limits) ?? throw new BadRequestException("A command BatchPATCH has no Patch.");
        patch.PatchIfMissing = Compile(_patchIfMissing, scripts, limits);
        using var ids = JsonBody.Parse(_ids.IsEmpty ? "null"u8.ToArray() : _ids);
        if (ids.RootElement.ValueKind != JsonValueKind.Array)
            throw new BadRequestException("A command BatchPATCH has no Ids.");
        foreach (var element in ids.RootElement.EnumerateArray())
        {
            BatchBody.RequireRoom(patch.Documents.Count, patch.MemoryBytes, limits);
            if (
                element.ValueKind != JsonValueKind.Object
                || !element.TryGetProperty("Id", out var id)
                || id.ValueKind != JsonValueKind.String
            )
                throw new BadRequestException("An element of Ids in BatchPATCH must be an object with an Id.");
            if (
                element.TryGetProperty("ChangeVector", out var given) && given.ValueKind is not (JsonValueKind.String or JsonValueKind.Null)
            )
                throw new BadRequestException("The ChangeVector of an element of Ids in BatchPATCH must be a string or null.");
            patch.Add(id.GetString()!, given.ValueKind == JsonValueKind.String ? given.GetString() : null);
        }
    }

    private readonly void CompleteTrackChanges(TrackChangesCommand expectations, Limits limits)
    {
        using var entities = JsonBody.Parse(_trackedEntities.IsEmpty ? "null"u8.ToArray() : _trackedEntities);
        if (entities.RootElement.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("A command BatchTrackChanges has no TrackedEntities: an object of change vectors by id.");
        foreach (var entity in entities.RootElement.EnumerateObject())
        {
            BatchBody.RequireRoom(expectations.Count, expectations.MemoryBytes, limits);
            if (entity.Value.ValueKind is not (JsonValueKind.String or JsonValueKind.Null))
                throw new BadRequestException($"The change vector of '{entity.Name}' in BatchTrackChanges must be a string or null.");
            expectations.Add(entity.Name, entity.Value.GetString());
        }
    }

    private static Patch? Compile(ReadOnlyMemory<byte> text, ScriptEngine scripts, Limits limits)
    {
        if (text.IsEmpty)
            return null;
        using var json = PatchText.Parse(text);
        return PatchText.Compile(scripts, json.RootElement, limits);
    }

    /// <summary>The text of a value; empty for null.</summary>
    private static ReadOnlyMemory<byte> ReadRaw(ref Utf8JsonReader reader, ReadOnlyMemory<byte> source)
    {
        reader.Read();
        int start = (int)reader.TokenStartIndex;
        bool isNull = reader.TokenType == JsonTokenType.Null;
        reader.Skip();
        return isNull ? default : source[start..(int)reader.BytesConsumed];
    }

    private static bool ReadFlag(ref Utf8JsonReader reader, string name)
    {
        reader.Read();
        return reader.TokenType switch
        {
            JsonTokenType.True => true,
            JsonTokenType.False or JsonTokenType.Null => false,
            _ => throw new BadRequestException($"The {name} of a command must be true or false."),
        };
    }

    private static string? ReadText(ref Utf8JsonReader reader, string name)
    {
        reader.Read();
        return reader.TokenType switch
        {
            JsonTokenType.String => JsonBody.Text(ref reader, $"the {name} of a command"),
            JsonTokenType.Null => null,
            _ => throw new BadRequestException($"The {name} of a command must be a string or null."),
        };
    }
}

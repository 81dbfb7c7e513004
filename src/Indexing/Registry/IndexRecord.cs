using System.Buffers.Binary;
using System.Text.Json;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Registry;

/// <summary>What a database knows of one of its indexes. Layout: docs/documents-format.md, "indexes".</summary>
internal sealed record IndexRecord
{
    private const int HeaderBytes = 16;
    private const byte Version = 1;

    /// <summary>Names its folder; never used again.</summary>
    public required Guid InstanceId { get; init; }

    /// <summary>As its definition is called. While it replaces one of the same name it is shown as <c>ReplacementOf/…</c>.</summary>
    public required string Name { get; init; }

    /// <summary>Which kind of definition it is.</summary>
    public string Kind { get; init; } = AutoMapKind;

    public required AutoIndexDefinition Definition { get; init; }

    /// <summary>Normal, Disabled or Error. Idleness is not kept.</summary>
    public IndexState State { get; init; }

    /// <summary>Why it is in error; null otherwise.</summary>
    public string? StateReason { get; init; }

    public IndexPriority Priority { get; init; } = IndexPriority.Normal;

    public IndexLockMode LockMode { get; init; }

    /// <summary>UTC ticks.</summary>
    public long CreatedTicks { get; init; }

    /// <summary>Those that it replaces when it has caught up; empty: none, or it has.</summary>
    public IReadOnlyList<Guid> Replaces { get; init; } = [];

    /// <summary>The deletions behind this etag wait for it. Its folder durably has everything up to there, or it was begun then: what was
    /// deleted before, it never reads.</summary>
    public long LowerBound { get; init; }

    public const string AutoMapKind = "AutoMap";

    public static IndexRecord Read(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (key.Length != 16 || value.Length <= HeaderBytes || value[0] != Version)
            throw new FormatException("it is no record of an index of this version");
        var json = new Utf8JsonReader(value[HeaderBytes..]);
        using var document = JsonDocument.ParseValue(ref json);
        var root = document.RootElement;
        return new IndexRecord
        {
            InstanceId = new Guid(key),
            LowerBound = BinaryPrimitives.ReadInt64LittleEndian(value[8..]),
            Name = root.GetProperty(nameof(Name)).GetString()!,
            Kind = root.GetProperty(nameof(Kind)).GetString()!,
            State = Enum.Parse<IndexState>(root.GetProperty(nameof(State)).GetString()!),
            StateReason = root.TryGetProperty(nameof(StateReason), out var reason) ? reason.GetString() : null,
            Priority = Enum.Parse<IndexPriority>(root.GetProperty(nameof(Priority)).GetString()!),
            LockMode = Enum.Parse<IndexLockMode>(root.GetProperty(nameof(LockMode)).GetString()!),
            CreatedTicks = root.GetProperty(nameof(CreatedTicks)).GetInt64(),
            Replaces = [.. root.GetProperty(nameof(Replaces)).EnumerateArray().Select(id => id.GetGuid())],
            Definition = new AutoIndexDefinition(
                root.GetProperty("Collection").GetString(),
                [
                    .. root.GetProperty("Fields")
                        .EnumerateArray()
                        .Select(field => new AutoIndexField(
                            field.GetProperty("Path").GetString()!,
                            field.GetProperty("Search").GetBoolean(),
                            field.GetProperty("Exact").GetBoolean()
                        )),
                ]
            ),
        };
    }

    public byte[] ToBytes()
    {
        using var stream = new MemoryStream();
        stream.Write(new byte[HeaderBytes]);
        using (var json = new Utf8JsonWriter(stream))
            Write(json);
        byte[] value = stream.ToArray();
        value[0] = Version;
        SetLowerBound(value, LowerBound);
        return value;
    }

    /// <summary>Changes the lower bound of a stored record.</summary>
    public static void SetLowerBound(Span<byte> value, long etag)
    {
        Invariant.Require(value.Length > HeaderBytes && etag >= 0);
        BinaryPrimitives.WriteInt64LittleEndian(value[8..], etag);
    }

    /// <summary>The lower bound of a stored record.</summary>
    public static long GetLowerBound(ReadOnlySpan<byte> value) => BinaryPrimitives.ReadInt64LittleEndian(value[8..]);

    /// <summary>The name of its folder below the database's.</summary>
    public string Folder => $"{IndexesRoom.Folder}/{InstanceId:N}";

    /// <summary>Under which its position, and what it has missed, are known among the consumers of changes.</summary>
    public string Consumer => $"{IndexesRoom.ConsumerPrefix}{InstanceId:N}";

    /// <summary>One that it replaces has another instance id now.</summary>
    public IndexRecord WithReplaced(Guid former, Guid replaced) =>
        this with
        {
            Replaces = [.. Replaces.Select(id => id == former ? replaced : id)],
        };

    /// <summary>One that it was to replace is gone.</summary>
    public IndexRecord WithoutReplaced(Guid replaced) => this with { Replaces = [.. Replaces.Where(id => id != replaced)] };

    private void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString(nameof(Name), Name);
        json.WriteString(nameof(Kind), Kind);
        json.WriteString(nameof(State), State.ToString());
        if (StateReason is not null)
            json.WriteString(nameof(StateReason), StateReason);
        json.WriteString(nameof(Priority), Priority.ToString());
        json.WriteString(nameof(LockMode), LockMode.ToString());
        json.WriteNumber(nameof(CreatedTicks), CreatedTicks);
        json.WriteStartArray(nameof(Replaces));
        foreach (var replaced in Replaces)
            json.WriteStringValue(replaced);
        json.WriteEndArray();
        json.WriteString("Collection", Definition.Collection);
        json.WriteStartArray("Fields");
        foreach (var field in Definition.Fields)
        {
            json.WriteStartObject();
            json.WriteString("Path", field.Path);
            json.WriteBoolean("Search", field.HasSearch);
            json.WriteBoolean("Exact", field.HasExact);
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
    }
}

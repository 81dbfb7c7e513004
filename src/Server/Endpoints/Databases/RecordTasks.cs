using System.Text.Json;
using Jackdaw.Etl;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Databases;

/// <summary>
/// The tasks and connection strings of a database record. They are kept in the database, not in the record, so that their secrets
/// lie in one place: on the way in they are
/// taken out of the record, on the way out they are put in, masked.
/// </summary>
internal sealed class RecordTasks
{
    public const string ConnectionStringsMember = "QueueConnectionStrings";
    public const string TasksMember = "QueueEtls";

    private readonly List<byte[]> _connections = [];
    private readonly List<byte[]> _tasks = [];

    private RecordTasks() { }

    public bool IsEmpty => _connections.Count == 0 && _tasks.Count == 0;

    public static bool IsMember(string name) =>
        name.Equals(ConnectionStringsMember, StringComparison.OrdinalIgnoreCase)
        || name.Equals(TasksMember, StringComparison.OrdinalIgnoreCase);

    /// <exception cref="BadRequestException">A member is not of the kind that it must be.</exception>
    public static RecordTasks Take(ReadOnlyMemory<byte> record)
    {
        using var parsed = JsonBody.Parse(record);
        var taken = new RecordTasks();
        foreach (var member in parsed.RootElement.EnumerateObject())
        {
            if (member.Name.Equals(ConnectionStringsMember, StringComparison.OrdinalIgnoreCase))
                taken.TakeConnections(member.Value);
            else if (member.Name.Equals(TasksMember, StringComparison.OrdinalIgnoreCase))
                taken.TakeTasks(member.Value);
        }
        return taken;
    }

    /// <summary>Puts them into a database that is being created. Errors as <see cref="EtlTasks"/>'.</summary>
    public async Task PutAsync(EtlTasks tasks)
    {
        foreach (var connection in _connections)
            await tasks.PutConnectionAsync(connection);
        foreach (var task in _tasks)
            await tasks.PutTaskAsync(task, null);
    }

    /// <param name="json">Inside the record's object.</param>
    /// <param name="tasks">Null for a database that is not open: nothing is known of it.</param>
    public static void Write(Utf8JsonWriter json, EtlTasks? tasks)
    {
        json.WriteStartObject(ConnectionStringsMember);
        foreach (var connection in tasks?.Connections() ?? [])
        {
            json.WritePropertyName(connection.Name);
            connection.Masked().WriteTo(json);
        }
        json.WriteEndObject();
        json.WriteStartArray(TasksMember);
        foreach (var definition in tasks?.Definitions() ?? [])
            definition.Object().WriteTo(json);
        json.WriteEndArray();
    }

    private void TakeConnections(JsonElement connections)
    {
        if (connections.ValueKind == JsonValueKind.Null)
            return;
        if (connections.ValueKind != JsonValueKind.Object)
            throw new BadRequestException($"The record's '{ConnectionStringsMember}' must be an object of connection strings.");
        foreach (var connection in connections.EnumerateObject())
            _connections.Add(With(connection.Value, ConnectionStringsMember, ("Type", "Queue"), ("Name", connection.Name)));
    }

    private void TakeTasks(JsonElement tasks)
    {
        if (tasks.ValueKind == JsonValueKind.Null)
            return;
        if (tasks.ValueKind != JsonValueKind.Array)
            throw new BadRequestException($"The record's '{TasksMember}' must be a list of tasks.");
        foreach (var task in tasks.EnumerateArray())
            _tasks.Add(With(task, TasksMember, ("EtlType", "Queue")));
    }

    /// <summary>The object with what its place in the record says of it, where it does not say it itself.</summary>
    private static byte[] With(JsonElement given, string member, params ReadOnlySpan<(string Name, string Value)> absent)
    {
        if (given.ValueKind != JsonValueKind.Object)
            throw new BadRequestException($"The record's '{member}' must hold objects.");
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes))
        {
            json.WriteStartObject();
            foreach (var (name, value) in absent)
                if (
                    !given
                        .EnumerateObject()
                        .Any(known =>
                            known.Name.Equals(name, StringComparison.OrdinalIgnoreCase) && known.Value.ValueKind != JsonValueKind.Null
                        )
                )
                    json.WriteString(name, value);
            foreach (var known in given.EnumerateObject())
                if (known.Value.ValueKind != JsonValueKind.Null)
                    known.WriteTo(json);
            json.WriteEndObject();
        }
        return bytes.ToArray();
    }
}

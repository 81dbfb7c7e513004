using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Values;

namespace Jackdaw.Etl.Kafka;

/// <summary>
/// What the database knows of who has written the task's positions: so a server sees at its start that another one, with a copy
/// of its database, has had the
/// task meanwhile. Noted before Kafka is told.
/// </summary>
internal sealed class KafkaOwnership
{
    private readonly Database _database;
    private readonly long _taskId;
    private readonly Guid _serverId;

    // What this start has claimed; null as long as it has not.
    private Note? _claim;

    public KafkaOwnership(Database database, long taskId)
    {
        _database = database;
        _taskId = taskId;
        _serverId = database.ServerId;
        Me = new KafkaOwner(_serverId, (Read()?.Claimed.Start ?? 0) + 1, Guid.NewGuid());
    }

    /// <param name="Seen">Who had written when this server last claimed the task; null: nobody.</param>
    /// <param name="Claimed">As whom it claimed the task then.</param>
    private sealed record Note(KafkaOwner? Seen, KafkaOwner Claimed);

    /// <summary>This start of the task.</summary>
    public KafkaOwner Me { get; }

    /// <summary>Durably notes that this start is about to write after somebody. Throws <see cref="SinkException"/> when that is
    /// somebody else.</summary>
    /// <param name="last">Who wrote last; null: nobody has.</param>
    /// <param name="takeOver">Whoever it is.</param>
    /// <returns>False when this start has written already.</returns>
    public bool Claim(KafkaOwner? last, bool takeOver)
    {
        if (last == Me)
            return false;
        // What others note in the same database later is nothing that this start knows of.
        var note = _claim ?? Read();
        if (last is not null && !takeOver && !IsMine(last, note))
            throw new SinkException(SinkFault.Fenced, Fenced(last));
        var claim = new Note(last, Me);
        if (claim != note)
            Write(claim);
        _claim = claim;
        return true;
    }

    /// <summary>Tells whether somebody is this server, as the database knows it now, also after it has forgotten the task; null:
    /// the task has never been claimed here.</summary>
    public Func<KafkaOwner, bool>? Own()
    {
        var note = Read();
        return note is null ? null : owner => IsMine(owner, note);
    }

    private bool IsMine(KafkaOwner last, Note? note) =>
        last.Server == _serverId && note is not null && (last.Run == note.Claimed.Run || last.Run == note.Seen?.Run);

    private string Fenced(KafkaOwner last) =>
        last.Server == _serverId
            ? $"Another start of this server's data folder has taken the task over ({last}): a copy of the "
                + "folder runs elsewhere, or this one was brought back. Resume the task to take it over here."
            : $"Another server has the task ({last}; this is server {_serverId:D}): "
                + "both have copies of one database. Resume the task to take it over here.";

    private Note? Read()
    {
        using var reader = _database.OpenRead("ETL owner");
        return reader.TryGetEtlValue(TaskPosition.OwnerKey(_taskId), out var json) ? JsonSerializer.Deserialize<Note>(json) : null;
    }

    private void Write(Note note)
    {
        var operation = new StoreValuesOperation().Set(TaskPosition.OwnerKey(_taskId), JsonSerializer.SerializeToUtf8Bytes(note));
        operation.IsBackground = true;
        // The task's own thread, which has nothing else to do.
        _database.SubmitAsync(operation).AsTask().GetAwaiter().GetResult();
    }
}

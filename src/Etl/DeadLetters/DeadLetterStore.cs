using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Messages;
using Jackdaw.Storage;

namespace Jackdaw.Etl.DeadLetters;

/// <summary>Writes dead letters, durably. Errors as <see cref="Database.SubmitAsync"/>.</summary>
internal sealed class DeadLetterStore(Database database, EtlTaskConfiguration task, TimeProvider clock)
{
    /// <summary>Bytes of one write: other writers wait behind it, and it must find room in the merger's queue.</summary>
    private const int BytesAtOnce = 1 << 20;

    /// <summary>Deletions of one transaction.</summary>
    private const int RemovedAtOnce = 256;

    /// <summary>In order, in parts; when it throws some may be written. Writing one twice is harmless.</summary>
    public void Write(string transform, IReadOnlyList<DeadLetter> letters)
    {
        int next = 0;
        while (next < letters.Count)
        {
            var batch = BatchOperation.Rent();
            batch.IsBackground = true;
            for (long bytes = 0; next < letters.Count && bytes < BytesAtOnce; next++)
            {
                byte[] json = letters[next].ToJson(task.Id, task.Name, transform, clock.GetUtcNow());
                var put = batch.AddPut();
                put.SetId(letters[next].Id(task.Id, transform));
                put.SetDocument(json, database.Limits);
                bytes += json.Length;
            }
            // The task's own thread, which has nothing else to do.
            database.SubmitAsync(batch).AsTask().GetAwaiter().GetResult();
            batch.Return();
        }
    }

    /// <summary>Replaces stored ones by what became of them; those that are gone or were changed meanwhile are left as they are.</summary>
    public void Replace(IReadOnlyList<(StoredDeadLetter Letter, byte[] Json)> changes)
    {
        var left = changes.ToList();
        while (left.Count > 0)
        {
            var batch = BatchOperation.Rent();
            batch.IsBackground = true;
            foreach (var (letter, json) in left)
            {
                var put = batch.AddPut();
                put.SetId(letter.Id);
                put.SetDocument(json, database.Limits);
                put.SetExpectedChangeVector(letter.ChangeVector);
            }
            try
            {
                database.SubmitAsync(batch).AsTask().GetAwaiter().GetResult();
                left.Clear();
            }
            catch (ConcurrencyException e)
            {
                // Purged, or written by hand: all or nothing was executed, so the others are tried without it.
                Invariant.Require(left.RemoveAll(change => change.Letter.Id.Equals(e.Id, StringComparison.OrdinalIgnoreCase)) == 1);
            }
            batch.Return();
        }
    }

    /// <summary>The id of the stored dead letter of a message; null when there is none.</summary>
    public string? Exists(string transform, ChangeOrigin origin, int number)
    {
        string id = new DeadLetter
        {
            Origin = origin,
            Number = number,
            Reason = "",
            Attempts = 0,
        }.Id(task.Id, transform);
        using var reader = database.OpenRead("ETL dead letters");
        return reader.TryGet(id, out _) ? id : null;
    }

    /// <summary>Removes stored ones; those that are gone already are no error.</summary>
    public void Remove(IReadOnlyList<string> ids) => RemoveAsync(database, ids).GetAwaiter().GetResult();

    /// <summary>As <see cref="Remove"/>, in transactions of at most <see cref="RemovedAtOnce"/>; returns how many there were.</summary>
    public static async Task<int> RemoveAsync(Database database, IReadOnlyList<string> ids)
    {
        int removed = 0;
        foreach (string[] some in ids.Chunk(RemovedAtOnce))
        {
            var batch = BatchOperation.Rent();
            batch.IsBackground = true;
            foreach (string id in some)
                batch.AddDelete().SetId(id);
            await database.SubmitAsync(batch).ConfigureAwait(false);
            removed += batch.Commands.Cast<DeleteCommand>().Sum(command => command.DeletedCount);
            batch.Return();
        }
        return removed;
    }
}

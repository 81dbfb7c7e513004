using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.DeadLetters;

/// <summary>Writes dead letters, durably. Errors as <see cref="Database.SubmitAsync"/>.</summary>
internal sealed class DeadLetterStore(Database database, EtlTaskConfiguration task, TimeProvider clock)
{
    /// <summary>Bytes of one write: other writers wait behind it, and it must find room in the merger's queue.</summary>
    private const int BytesAtOnce = 1 << 20;

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
}

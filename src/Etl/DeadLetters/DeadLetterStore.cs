using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.DeadLetters;

/// <summary>Writes dead letters, durably. Errors as <see cref="Database.SubmitAsync"/>.</summary>
internal sealed class DeadLetterStore(Database database, EtlTaskConfiguration task, TimeProvider clock)
{
    /// <summary>All or none; writing one twice is harmless.</summary>
    public void Write(string transform, IReadOnlyList<DeadLetter> letters)
    {
        if (letters.Count == 0)
            return;
        var batch = BatchOperation.Rent();
        foreach (var letter in letters)
        {
            var put = batch.AddPut();
            put.SetId(letter.Id(task.Id, transform));
            put.SetDocument(letter.ToJson(task.Id, task.Name, transform, clock.GetUtcNow()), database.Limits);
        }
        // The task's own thread, which has nothing else to do.
        database.SubmitAsync(batch).AsTask().GetAwaiter().GetResult();
        batch.Return();
    }
}

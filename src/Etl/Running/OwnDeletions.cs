using System.Globalization;
using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Values;

namespace Jackdaw.Etl.Running;

/// <summary>
/// The documents that a task deletes because it has sent them, and the notes by which it knows these deletions again, so that it
/// never publishes them. A note lasts as
/// long as there can be a tombstone of its etag. Belongs to the task's loop.
/// </summary>
internal sealed class OwnDeletions(Database database, EtlTaskConfiguration task, TimeProvider clock)
{
    private const int DeletedAtOnce = 256;
    private const int ForgottenAtOnce = 1024;

    private static readonly TimeSpan s_betweenCleanings = TimeSpan.FromMinutes(5);

    private readonly string _prefix = KeyPrefix(task.Id);
    private readonly HashSet<string> _queues = new(task.DeletingQueues, StringComparer.OrdinalIgnoreCase);
    private long _cleanedAt;
    private bool _mayHaveNotes = true;

    /// <summary>What the keys of a task's notes begin with.</summary>
    public static string KeyPrefix(long taskId) => string.Create(CultureInfo.InvariantCulture, $"etl/own-delete/{taskId}/");

    /// <summary>Forgets all notes of a task that is no more; there may be very many. Its id is never used again, so what a crash
    /// leaves is of no use to anyone and harms nobody.</summary>
    public static async Task ForgetAsync(Database database, long taskId)
    {
        string prefix = KeyPrefix(taskId);
        // Behind every number.
        string before = prefix + ":";
        int removed;
        do
        {
            var operation = new RemoveValuesOperation(prefix, before, ForgottenAtOnce) { IsBackground = true };
            await database.SubmitAsync(operation).ConfigureAwait(false);
            removed = operation.Removed;
        } while (removed == ForgottenAtOnce);
    }

    /// <summary>Is a document deleted once its message to this target is confirmed?</summary>
    public bool AreWantedFor(string target) => _queues.Count > 0 && _queues.Contains(target);

    /// <summary>Is anything ever deleted?</summary>
    public bool AreWanted => _queues.Count > 0;

    /// <summary>Did the task delete a document with this etag?</summary>
    public bool Contains(DocumentsReader reader, long etag) =>
        reader.TryGetEtlValue(DeleteIfUnchangedOperation.NoteKey(_prefix, etag), out _);

    /// <summary>Deletes those that still are as they were sent. Durable when it returns. Errors as
    /// <see cref="Database.SubmitAsync"/>.</summary>
    public void Delete(IEnumerable<Messages.ChangeOrigin> documents)
    {
        foreach (var some in documents.Chunk(DeletedAtOnce))
        {
            var operation = new DeleteIfUnchangedOperation(_prefix) { IsBackground = true };
            foreach (var document in some)
                operation.Add(document.DocumentId, document.ChangeVector);
            _mayHaveNotes = true;
            // The task's own thread, which has nothing else to do.
            database.SubmitAsync(operation).AsTask().GetAwaiter().GetResult();
        }
    }

    /// <summary>Now and then, forgets notes of deletions whose tombstones are no more.</summary>
    public void Clean()
    {
        if (!_mayHaveNotes || (_cleanedAt != 0 && clock.GetElapsedTime(_cleanedAt) < s_betweenCleanings))
            return;
        _cleanedAt = clock.GetTimestamp();
        string before;
        using (var reader = database.OpenRead("ETL own deletions"))
        {
            string? first = reader.Of(EtlRoom.Instance).FirstKey(_prefix);
            _mayHaveNotes = first is not null;
            var tombstones = reader.Tombstones(0);
            long lowest = tombstones.MoveNext() ? tombstones.Current.Etag : reader.LastEtag + 1;
            before = DeleteIfUnchangedOperation.NoteKey(_prefix, lowest);
            if (first is null || string.CompareOrdinal(first, before) >= 0)
                return;
        }
        var operation = new RemoveValuesOperation(_prefix, before, ForgottenAtOnce) { IsBackground = true };
        database.SubmitAsync(operation).AsTask().GetAwaiter().GetResult();
        // There may be more of them than go at once.
        if (operation.Removed == ForgottenAtOnce)
            _cleanedAt = 0;
    }
}

using System.Globalization;
using Jackdaw.Documents;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Transforming;
using Jackdaw.Etl.Values;

namespace Jackdaw.Etl.Running;

/// <summary>A task's <see cref="SentDocuments"/>, the last of each transform. Belongs to the task's loop. Errors as
/// <see cref="Database.SubmitAsync"/>.</summary>
internal sealed class SentDocumentsStore(Database database, long taskId)
{
    /// <summary>Of all that is noted of a task.</summary>
    public static string KeyPrefix(long taskId) => string.Create(CultureInfo.InvariantCulture, $"etl/sent/{taskId}/");

    /// <summary>In place of the transform's former: what that was about is known by now. Durable when it returns.</summary>
    public void Write(SinkPosition position, SentDocuments sent) => Submit(new StoreValuesOperation().Set(Key(position), sent.ToBytes()));

    /// <summary>Nothing is left to be done of it. Durable when it returns.</summary>
    public void Remove(SinkPosition position) => Submit(new StoreValuesOperation().Remove(Key(position)));

    /// <summary>Of the batch that a sink keeps this position of: the documents that were to be deleted and still are as they were
    /// sent. Null when nothing is noted of that batch.</summary>
    public IReadOnlyList<ChangeOrigin>? Find(SinkPosition position)
    {
        using var reader = database.OpenRead("ETL sent documents");
        if (
            position.Batch is not { } batch
            || !reader.TryGetEtlValue(Key(position), out var value)
            || SentDocuments.Read(value) is not { } sent
            || sent.Batch != batch
        )
            return null;
        var found = new List<ChangeOrigin>();
        foreach (long etag in sent.Etags)
        {
            var changes = reader.Changes(etag - 1);
            if (changes.MoveNext() && changes.Current.Etag == etag && !changes.Current.IsTombstone)
                found.Add(TransformRunner.OriginOf(changes.Current));
        }
        return found;
    }

    private string Key(SinkPosition position) => KeyPrefix(taskId) + position.Transform;

    private void Submit(StoreValuesOperation operation)
    {
        operation.IsBackground = true;
        // The task's own thread, which has nothing else to do.
        database.SubmitAsync(operation).AsTask().GetAwaiter().GetResult();
    }
}

using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Values;

namespace Jackdaw.Etl.Positions;

/// <summary>A task's positions in its database.</summary>
internal sealed class PositionStore(Database database, long taskId)
{
    /// <summary>Null when there is none.</summary>
    public TaskPosition? Read(DocumentsReader reader, string transform) =>
        Stored(reader, transform) is { IsForgotten: false } position ? position : null;

    /// <summary>See <see cref="TaskPosition.IsForgotten"/>.</summary>
    public bool IsForgotten(DocumentsReader reader, string transform) => Stored(reader, transform) is { IsForgotten: true };

    /// <summary>Durable when it returns. Errors as <see cref="Database.SubmitAsync"/>.</summary>
    /// <param name="transform">Whose.</param>
    /// <param name="etag">Of this database.</param>
    /// <param name="isOrdered">See <see cref="TaskPosition.IsOrdered"/>.</param>
    public void Write(string transform, long etag, bool isOrdered = false)
    {
        var operation = new StoreValuesOperation().Set(
            TaskPosition.Key(taskId, transform),
            new TaskPosition(database.Id, etag, isOrdered).ToBytes()
        );
        // It follows a load as well as single writes, and must not make the load hold back.
        operation.IsBackground = true;
        // The task's own thread, which has nothing else to do.
        database.SubmitAsync(operation).AsTask().GetAwaiter().GetResult();
    }

    private TaskPosition? Stored(DocumentsReader reader, string transform) =>
        reader.TryGetEtlValue(TaskPosition.Key(taskId, transform), out var value) ? TaskPosition.Read(value) : null;
}

using System.Globalization;
using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Values;

namespace Jackdaw.Etl.Orders;

/// <summary>
/// What people have ordered a task to do and it has not done yet, durable in its database: docs/etl.md, "Orders". Orders are
/// given one after another
/// (the caller sees to it) and carried out by the task's loop. Errors as <see cref="Database.SubmitAsync"/>.
/// </summary>
internal sealed class OrderStore(Database database, long taskId)
{
    private static readonly byte[] s_yes = [1];

    private readonly string _positions = Prefix("etl/order/", taskId) + "/";
    private readonly string _paused = Prefix("etl/paused/", taskId);
    private readonly string _takeOver = Prefix("etl/take-over/", taskId);
    private readonly string _started = Prefix("etl/started/", taskId);

    /// <summary>Nothing is sent until an operator says so, whatever is started anew meanwhile.</summary>
    public bool IsPaused(DocumentsReader reader) => reader.TryGetEtlValue(_paused, out _) || WhyNotStarted(reader) is not null;

    /// <summary>
    /// Why the task is paused although no operator has paused it: the database is a copy, and nobody has started the task in it
    /// yet. Null when that is not so. See docs/decisions/0024-copies-open-paused.md.
    /// </summary>
    public string? WhyNotStarted(DocumentsReader reader)
    {
        if (
            database.Ancestors is not [var original, ..]
            || (reader.TryGetEtlValue(_started, out var value) && new Guid(value) == database.Id)
        )
            return null;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"This database is a copy of the database {original.DatabaseIdText}; their histories part after etag {original.ForkEtag}. "
                + $"Its tasks send nothing until an operator starts them."
        );
    }

    /// <summary>The task is to be taken from whoever has it.</summary>
    public bool TakesOver(DocumentsReader reader) => reader.TryGetEtlValue(_takeOver, out _);

    /// <summary>The positions that were set, in the order of their setting.</summary>
    public IReadOnlyList<(string Key, PositionOrder Order)> Positions(DocumentsReader reader) =>
        reader.EtlValuesOf(_positions).Select(value => (value.Key, PositionOrder.Read(value.Value))).ToArray();

    /// <summary>Durable when its task ends.</summary>
    public Task PauseAsync() => SubmitAsync(new StoreValuesOperation().Set(_paused, s_yes));

    /// <summary>Ends a pause; durable likewise.</summary>
    /// <param name="takesOver">The task is to be taken from whoever has it: it is fenced, or may turn out to be this moment.</param>
    public Task ResumeAsync(bool takesOver)
    {
        using (var reader = database.OpenRead("ETL orders"))
        {
            if (!takesOver && !IsPaused(reader))
                return Task.CompletedTask;
        }
        return SubmitAsync(Resume(new StoreValuesOperation(), takesOver));
    }

    /// <summary>Sets a position and ends a pause; durable likewise.</summary>
    /// <param name="order">Which.</param>
    /// <param name="takesOver">As for <see cref="ResumeAsync"/>.</param>
    public Task SetPositionAsync(PositionOrder order, bool takesOver)
    {
        long number = 1;
        using (var reader = database.OpenRead("ETL orders"))
        {
            if (reader.EtlValuesOf(_positions) is [.., var last])
                number = long.Parse(last.Key.AsSpan(_positions.Length), NumberStyles.None, CultureInfo.InvariantCulture) + 1;
        }
        string key = string.Create(CultureInfo.InvariantCulture, $"{_positions}{number:D19}");
        return SubmitAsync(Resume(new StoreValuesOperation(), takesOver).Set(key, order.ToBytes()));
    }

    /// <summary>The positions take the place of the former, and the order is none any more: both or neither. Durable when it
    /// returns.</summary>
    /// <param name="key">The order's.</param>
    /// <param name="order">The order.</param>
    /// <param name="transforms">The names of those that it means.</param>
    /// <param name="isOrdered">See <see cref="TaskPosition.IsOrdered"/>.</param>
    public void CarryOut(string key, PositionOrder order, IEnumerable<string> transforms, bool isOrdered)
    {
        var operation = new StoreValuesOperation().Remove(key);
        foreach (string transform in transforms)
            operation.Set(TaskPosition.Key(taskId, transform), order.Position(isOrdered).ToBytes());
        // The task's own thread, which has nothing else to do.
        SubmitAsync(operation).GetAwaiter().GetResult();
    }

    /// <summary>The task is this server's, whoever had it. Durable when it returns.</summary>
    public void TookOver()
    {
        using (var reader = database.OpenRead("ETL orders"))
        {
            if (!TakesOver(reader))
                return;
        }
        SubmitAsync(new StoreValuesOperation().Remove(_takeOver)).GetAwaiter().GetResult();
    }

    /// <summary>Adds to an operation that nothing is ordered, as of a task that is no more.</summary>
    public void Forget(DocumentsReader reader, StoreValuesOperation operation)
    {
        operation.Remove(_paused).Remove(_takeOver).Remove(_started);
        foreach (var (key, _) in reader.EtlValuesOf(_positions))
            operation.Remove(key);
    }

    /// <summary>Adds to an operation that the task is not paused.</summary>
    public void EndPause(StoreValuesOperation operation)
    {
        operation.Remove(_paused);
        MayStart(operation);
    }

    /// <summary>Adds to an operation that an operator wants the task to run in this database. Only a copy asks for that.</summary>
    public void MayStart(StoreValuesOperation operation)
    {
        if (database.Ancestors.Count > 0)
            operation.Set(_started, database.Id.ToByteArray());
    }

    private static string Prefix(string kind, long taskId) => string.Create(CultureInfo.InvariantCulture, $"{kind}{taskId}");

    private StoreValuesOperation Resume(StoreValuesOperation operation, bool takesOver)
    {
        EndPause(operation);
        if (takesOver)
            operation.Set(_takeOver, s_yes);
        return operation;
    }

    private Task SubmitAsync(StoreValuesOperation operation) => database.SubmitAsync(operation).AsTask();
}

using System.Buffers.Binary;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Orders;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Reading;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Values;

namespace Jackdaw.Etl;

/// <summary>Which tasks and connection strings there are. Each change is durable when its task ends.</summary>
public sealed partial class EtlTasks
{
    /// <summary>
    /// Adds or replaces a connection string; the tasks that use it start anew. Returns a warning when the connection string leads
    /// nowhere (it is stored, and tasks that use it stop with that reason), else null.
    /// </summary>
    /// <param name="json">The connection string's object.</param>
    /// <param name="mayBorrow">Whether it may use files, variables, the certificate or the identity of the server. Where it may not
    /// and does, <see cref="BorrowingException"/> is thrown and nothing changes.</param>
    public Task<string?> PutConnectionAsync(ReadOnlyMemory<byte> json, bool mayBorrow = true) =>
        ChangeAsync(async () =>
        {
            var connection = ConnectionString.Parse(json.Span, name => _connections.GetValueOrDefault(name));
            if (!mayBorrow)
                connection.RequireNothingBorrowed();
            string? flaw = TaskSinks.Flaw(connection, _options);
            await _database
                .SubmitAsync(new StoreValuesOperation().Set(ConnectionKey(connection.Name), connection.StoredJson.ToArray()))
                .ConfigureAwait(false);
            lock (_lock)
                _connections[connection.Name] = connection;
            // Together: each may wait a while for the answers to what it has sent.
            await Task.WhenAll(Using(connection.Name).Select(entry => ReplaceAsync(entry, entry))).ConfigureAwait(false);
            return flaw;
        });

    /// <summary>False when there is none. Refused while a task uses it.</summary>
    public Task<bool> RemoveConnectionAsync(string name) =>
        ChangeAsync(async () =>
        {
            if (!_connections.ContainsKey(name))
                return false;
            if (Using(name) is { Length: > 0 } users)
                throw new InvalidConfigurationException(
                    $"The connection string '{name}' is in use by the task '{users[0].Definition.Configuration.Name}'."
                );
            await _database.SubmitAsync(new StoreValuesOperation().Remove(ConnectionKey(name))).ConfigureAwait(false);
            lock (_lock)
                _connections.Remove(name);
            return true;
        });

    /// <summary>Adds a task, or changes one (the positions of transforms that it keeps stay), and starts it. Returns its id.</summary>
    /// <param name="json">The protocol's configuration object.</param>
    /// <param name="id">Of the task to change; null: a new one.</param>
    public Task<long> PutTaskAsync(ReadOnlyMemory<byte> json, long? id) =>
        ChangeAsync(async () =>
        {
            TaskEntry? former = null;
            if (id is { } known && !_tasks.TryGetValue(known, out former))
                throw new InvalidConfigurationException($"There is no task {known}.");
            long taskId = id ?? _lastId + 1;
            var definition = TaskDefinition.Parse(json.Span, taskId);
            KnownMembers.RequireInTask(json.Span);
            Check(definition);
            byte[] lastId = new byte[sizeof(long)];
            BinaryPrimitives.WriteInt64LittleEndian(lastId, Math.Max(_lastId, taskId));
            await ReplaceAsync(
                    former,
                    new TaskEntry(definition),
                    () =>
                    {
                        var operation = new StoreValuesOperation().Set(LastIdKey, lastId).Set(TaskKey(taskId), definition.ToBytes());
                        if (former is not null)
                            CarryPositions(operation, former.Definition, definition);
                        else
                            new OrderStore(_database, taskId).MayStart(operation);
                        return operation;
                    }
                )
                .ConfigureAwait(false);
            _lastId = Math.Max(_lastId, taskId);
            return taskId;
        });

    /// <summary>Removes a task with its positions, here alone. False when there is none.</summary>
    private Task<bool> RemoveAsync(long id) =>
        ChangeAsync(async () =>
        {
            if (!_tasks.TryGetValue(id, out var entry))
                return false;
            await entry.DisposeAsync().ConfigureAwait(false);
            var operation = new StoreValuesOperation().Remove(TaskKey(id)).Remove(TaskPosition.OwnerKey(id));
            using (var reader = _database.OpenRead("ETL task"))
            {
                new OrderStore(_database, id).Forget(reader, operation);
                foreach (
                    var (key, _) in reader
                        .EtlValuesOf(TaskPosition.KeyPrefix(id))
                        .Concat(reader.EtlValuesOf(SentDocumentsStore.KeyPrefix(id)))
                )
                    operation.Remove(key);
                foreach (var gap in reader.Gaps(EtlTask.ConsumerName(id, "")))
                    operation.ForgetGap(gap.Consumer);
            }
            try
            {
                await _database.SubmitAsync(operation).ConfigureAwait(false);
            }
            catch
            {
                // It is there as before.
                await ReplaceAsync(entry, entry).ConfigureAwait(false);
                throw;
            }
            await OwnDeletions.ForgetAsync(_database, id).ConfigureAwait(false);
            _database.DeleteNote(ScriptDeaths.NoteName(id));
            lock (_lock)
                _tasks.Remove(id);
            _database.WantsTraces = _tasks.Count > 0;
            return true;
        });

    /// <summary>Disables or enables a task; enabling ends a pause too, of which the protocol's clients know nothing. False when
    /// there is none.</summary>
    public Task<bool> SetDisabledAsync(long id, bool disabled) =>
        ChangeAsync(async () =>
        {
            if (!_tasks.TryGetValue(id, out var entry))
                return false;
            var definition = entry.Definition.With(disabled);
            var operation = new StoreValuesOperation().Set(TaskKey(id), definition.ToBytes());
            if (!disabled)
                new OrderStore(_database, id).EndPause(operation);
            await ReplaceAsync(entry, new TaskEntry(definition), () => operation).ConfigureAwait(false);
            return true;
        });

    /// <summary>
    /// A transform's position goes with it: one that comes back under its old name begins as a new one does, for what was deleted
    /// meanwhile was not kept for it. A sink that
    /// begins to keep the positions is told those that have been kept here: what it may know is older.
    /// </summary>
    private void CarryPositions(StoreValuesOperation operation, TaskDefinition former, TaskDefinition next)
    {
        long id = next.Configuration.Id;
        bool isHandedOver = former.Flaw is null && !TaskSinks.KeepsPositions(former) && TaskSinks.KeepsPositions(next);
        var kept = next
            .Configuration.Transforms.Select(transform => TaskPosition.Key(id, transform.Name))
            .ToHashSet(StringComparer.Ordinal);
        // Of one that could not be read it is not known which transforms it had.
        if (former.Flaw is null)
            kept.IntersectWith(former.Configuration.Transforms.Select(transform => TaskPosition.Key(id, transform.Name)));
        using var reader = _database.OpenRead("ETL task");
        foreach (var (key, value) in reader.EtlValuesOf(TaskPosition.KeyPrefix(id)))
        {
            if (!kept.Contains(key))
                operation.Set(key, TaskPosition.Forgotten(_database.Id).ToBytes());
            else if (TaskPosition.Read(value) is { IsForgotten: false } position)
            {
                long etag = EtagToGoOnFrom(reader, position, Named(former, key), Named(next, key));
                if (isHandedOver || etag != position.Etag)
                    operation.Set(key, Carried(position with { Etag = etag }).ToBytes());
            }
        }

        TransformConfiguration? Named(TaskDefinition task, string key) =>
            task.Configuration.Transforms.FirstOrDefault(transform => TaskPosition.Key(id, transform.Name) == key);

        TaskPosition Carried(TaskPosition position) => position with { IsOrdered = position.IsOrdered || TaskSinks.KeepsPositions(next) };
    }

    /// <summary>
    /// While others write, nobody moves the position of a transform that has nothing to read. When it begins to read something else,
    /// it begins here, and not with what was written there since its own last change.
    /// </summary>
    private long EtagToGoOnFrom(DocumentsReader reader, TaskPosition position, TransformConfiguration? former, TransformConfiguration? next)
    {
        if (former is null || next is null || position.DatabaseId != _database.Id || former.ReadsTheSameAs(next))
            return position.Etag;
        // What it passes by is passed in a bounded time; where that does not do, the position stays.
        bool hasMore = new ChangeReader(reader, former, position.Etag).MoveNext(passAtMost: 10_000);
        return hasMore ? position.Etag : Math.Max(position.Etag, reader.LastEtag);
    }

    /// <summary>What can be known before a task runs.</summary>
    private void Check(TaskDefinition definition)
    {
        var configuration = definition.Configuration;
        if (
            _tasks.Values.FirstOrDefault(other =>
                other.Definition.Configuration.Id != configuration.Id
                && string.Equals(other.Definition.Configuration.Name, configuration.Name, StringComparison.OrdinalIgnoreCase)
            )
            is not null
        )
        {
            throw new InvalidConfigurationException($"There is a task named '{configuration.Name}' already.");
        }
        if (!_connections.TryGetValue(definition.ConnectionStringName, out var connection))
            throw new InvalidConfigurationException($"There is no connection string named '{definition.ConnectionStringName}'.");
        TaskSinks.Check(definition, connection);
        foreach (var transform in configuration.Transforms)
            Transforming.TransformScript.Compile(_engine, transform);
    }
}

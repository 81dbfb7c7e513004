using Jackdaw.Documents.Errors;

namespace Jackdaw.Documents;

/// <summary>Creating, deleting, disabling: each step durable before the next, so that a crash between any two is settled at the next start.</summary>
public sealed partial class Databases
{
    /// <summary>
    /// Creates a database. <paramref name="recordJson"/> is kept as given (copied). Throws <see cref="DatabaseExistsException"/>,
    /// <see cref="InvalidDatabaseNameException"/>.
    /// </summary>
    public async Task<DatabaseRecord> CreateAsync(string name, ReadOnlyMemory<byte> recordJson)
    {
        DatabaseName.Validate(name);
        var record = new DatabaseRecord(name, Guid.NewGuid(), DatabaseState.Creating, Disabled: false, Etag: 0, recordJson.ToArray());
        var entry = new DatabaseEntry(record);
        await entry.Gate.WaitAsync().ConfigureAwait(false);
        try
        {
            if (!_entries.TryAdd(name, entry))
                throw new DatabaseExistsException(name, $"Database '{name}' already exists.");
            // Before there is a record: what undoes a creation may delete the folder, so it must be this creation's own.
            if (HasFolder(name))
            {
                _entries.TryRemove(new KeyValuePair<string, DatabaseEntry>(name, entry));
                throw new DatabaseExistsException(name, $"There is a folder for a database '{name}', which no record names. Move it away, or choose another name.");
            }
            Database? open = null;
            try
            {
                entry.Record = await StoreAsync(new DatabaseRow(record, DeletionIsSoft: false)).ConfigureAwait(false);
                _options.StepReached?.Invoke("creating");
                open = OpenDatabase(entry.Record);
                _options.StepReached?.Invoke("opened");
                entry.Record = await StoreAsync(new DatabaseRow(entry.Record with { State = DatabaseState.Ready }, DeletionIsSoft: false)).ConfigureAwait(false);
                entry.Open = open;
                _options.StepReached?.Invoke("ready");
                return entry.Record;
            }
            catch (Storage.Errors.StorageException) when (entry.Record.State == DatabaseState.Creating)
            {
                await UndoCreationAsync(entry, open).ConfigureAwait(false);
                throw;
            }
        }
        finally
        {
            entry.Gate.Release();
        }
    }

    /// <summary>
    /// Deletes a database: from now on it does not exist; the task ends when its readers have ended and its files are gone (hard) or left behind
    /// unreferenced, under <c>Deleted</c> (soft, and where nothing shows that they are this database's). False when there is none of this name.
    /// </summary>
    public async Task<bool> DeleteAsync(string name, bool hard)
    {
        if (!_entries.TryGetValue(name, out var entry))
            return false;
        await entry.Gate.WaitAsync().ConfigureAwait(false);
        try
        {
            if (entry.Record.State != DatabaseState.Ready)
                return false;
            var row = new DatabaseRow(entry.Record with { State = DatabaseState.Deleting }, DeletionIsSoft: !hard);
            entry.Record = await StoreAsync(row).ConfigureAwait(false);
            _options.StepReached?.Invoke("deleting");
            bool isOwn = _options.RunInMemory;
            if (entry.Open is { } open)
            {
                // Opening it compared the ids.
                isOwn = true;
                entry.Open = null;
                await open.CloseAsync(new DatabaseDoesNotExistException(open.Name)).ConfigureAwait(false);
            }
            _options.StepReached?.Invoke("closed");
            if (_files.Remove(row with { Record = entry.Record }, isOwn) is { } finding)
                Found?.Invoke(finding);
            _options.StepReached?.Invoke("removed");
            await InCatalogueAsync(() => _catalogue.Remove(entry.Record.Name)).ConfigureAwait(false);
            _entries.TryRemove(new KeyValuePair<string, DatabaseEntry>(name, entry));
            _options.StepReached?.Invoke("deleted");
            return true;
        }
        finally
        {
            entry.Gate.Release();
        }
    }

    /// <summary>Disables or enables. The task ends when its readers have ended and its environment is closed, or it is open again. False when there is none.</summary>
    public async Task<bool> SetDisabledAsync(string name, bool disabled)
    {
        if (!_entries.TryGetValue(name, out var entry))
            return false;
        await entry.Gate.WaitAsync().ConfigureAwait(false);
        try
        {
            if (entry.Record.State != DatabaseState.Ready)
                return false;
            if (entry.Record.Disabled != disabled)
                entry.Record = await StoreAsync(new DatabaseRow(entry.Record with { Disabled = disabled }, DeletionIsSoft: false)).ConfigureAwait(false);
            if (disabled && entry.Open is { } open)
            {
                entry.Open = null;
                await open.CloseAsync(new DatabaseDisabledException(open.Name)).ConfigureAwait(false);
            }
            else if (!disabled && entry.Open is null)
            {
                TryOpen(entry);
            }
            return true;
        }
        finally
        {
            entry.Gate.Release();
        }
    }

    /// <summary>Replaces a record's JSON; with an etag only if it still has that one. Throws <see cref="DatabaseDoesNotExistException"/>, <see cref="DatabaseExistsException"/>.</summary>
    public async Task<DatabaseRecord> UpdateRecordAsync(string name, ReadOnlyMemory<byte> recordJson, long? expectedEtag)
    {
        if (!_entries.TryGetValue(name, out var entry))
            throw new DatabaseDoesNotExistException(name);
        await entry.Gate.WaitAsync().ConfigureAwait(false);
        try
        {
            if (entry.Record.State != DatabaseState.Ready)
                throw new DatabaseDoesNotExistException(name);
            if (expectedEtag is { } expected && expected != entry.Record.Etag)
                throw new DatabaseExistsException(name, $"The record of database '{name}' has etag {entry.Record.Etag}, but was expected to have {expected}.");
            entry.Record = await StoreAsync(new DatabaseRow(entry.Record with { Json = recordJson.ToArray() }, DeletionIsSoft: false)).ConfigureAwait(false);
            return entry.Record;
        }
        finally
        {
            entry.Gate.Release();
        }
    }

    /// <summary>What could not be created leaves nothing. When not even that succeeds, the next start does it.</summary>
    private async Task UndoCreationAsync(DatabaseEntry entry, Database? open)
    {
        if (open is not null)
            await open.CloseAsync(new DatabaseDoesNotExistException(open.Name)).ConfigureAwait(false);
        if (entry.Record.Etag > 0)
        {
            // There was no folder of this name before: whatever is in it came with this creation.
            if (_files.Remove(new DatabaseRow(entry.Record, DeletionIsSoft: false), isOwn: true) is { } finding)
                Found?.Invoke(finding);
            await InCatalogueAsync(() => _catalogue.Remove(entry.Record.Name)).ConfigureAwait(false);
        }
        _entries.TryRemove(new KeyValuePair<string, DatabaseEntry>(entry.Record.Name, entry));
    }

    private async Task<DatabaseRecord> StoreAsync(DatabaseRow row)
    {
        DatabaseRecord? stored = null;
        await InCatalogueAsync(() => stored = _catalogue.Store(row)).ConfigureAwait(false);
        return stored!;
    }

    private async Task InCatalogueAsync(Action change)
    {
        await _catalogueGate.WaitAsync().ConfigureAwait(false);
        try
        {
            change();
        }
        finally
        {
            _catalogueGate.Release();
        }
    }
}

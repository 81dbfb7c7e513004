using Jackdaw.Documents.Errors;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents;

/// <summary>Creating, deleting, disabling: each step durable before the next, so that a crash between any two is settled at the
/// next start.</summary>
public sealed partial class Databases
{
    /// <summary>
    /// Creates a database. <paramref name="recordJson"/> is kept as given (copied). Whatever ends it leaves nothing behind,
    /// except when the outcome of its last step is
    /// unknown: then the next start finds out. Throws <see cref="DatabaseExistsException"/>,
    /// <see cref="InvalidDatabaseNameException"/>, <see cref="StorageException"/>.
    /// </summary>
    /// <param name="name">Of the database.</param>
    /// <param name="recordJson">One JSON object.</param>
    /// <param name="disabled">Create it disabled: it answers nothing until it is enabled.</param>
    /// <param name="prepare">Given the database before it exists for anyone else; what it throws undoes the creation and comes
    /// out. Null: there is nothing to prepare.</param>
    public async Task<DatabaseRecord> CreateAsync(
        string name,
        ReadOnlyMemory<byte> recordJson,
        Func<Database, Task>? prepare = null,
        bool disabled = false
    )
    {
        DatabaseName.Validate(name);
        var record = new DatabaseRecord(name, Guid.NewGuid(), DatabaseState.Creating, disabled, Etag: 0, recordJson.ToArray());
        var entry = new DatabaseEntry(record) { IsBeingCreated = true };
        await entry.Gate.WaitAsync().ConfigureAwait(false);
        try
        {
            await TakeNameAsync(name, entry).ConfigureAwait(false);
            try
            {
                // Before there is a record: what undoes a creation may delete the folder, so it must be this creation's own.
                if (FolderOfName(name) is { } taken)
                    throw new DatabaseExistsException(
                        name,
                        $"There is a folder '{taken}' for a database '{name}', which no record names. Move it away, or choose another name."
                    );
                entry.FolderIsOwn = true;
                await MakeAsync(entry, prepare).ConfigureAwait(false);
                await OpenOrCloseAsync(entry).ConfigureAwait(false);
                return entry.Record;
            }
            catch when (entry.Record.State == DatabaseState.Creating && !entry.OutcomeIsUnknown)
            {
                await UndoCreationAsync(entry).ConfigureAwait(false);
                throw;
            }
        }
        finally
        {
            entry.IsBeingCreated = false;
            entry.Gate.Release();
        }
    }

    /// <summary>Waits for another creation of the same name: whoever learns that the database exists can use it at once.</summary>
    /// <exception cref="DatabaseExistsException">The name is taken.</exception>
    private async Task TakeNameAsync(string name, DatabaseEntry entry)
    {
        while (!_entries.TryAdd(name, entry))
        {
            if (!_entries.TryGetValue(name, out var other))
                continue;
            if (!other.IsBeingCreated)
                throw new DatabaseExistsException(name, WhyTaken(name));
            await other.Gate.WaitAsync().ConfigureAwait(false);
            other.Gate.Release();
        }
    }

    /// <summary>
    /// Deletes a database: from now on it does not exist; the task ends when its readers have ended and its files are gone (hard)
    /// or left behind
    /// unreferenced, under <c>Deleted</c> (soft, and where nothing shows that they are this database's). False when there is none
    /// of this name. A deletion that failed on
    /// the way is gone on with by another call, or at the next start.
    /// </summary>
    public async Task<bool> DeleteAsync(string name, bool hard)
    {
        if (!_entries.TryGetValue(name, out var entry))
            return false;
        await entry.Gate.WaitAsync().ConfigureAwait(false);
        try
        {
            // Whoever had the gate before may have deleted it, or not have come to create it.
            if (!_entries.TryGetValue(name, out var current) || current != entry)
                return false;
            if (entry.Record.State != DatabaseState.Deleting || entry.DeletionIsSoft == hard)
            {
                await StoreDeletionAsync(entry, isSoft: !hard).ConfigureAwait(false);
            }
            _options.StepReached?.Invoke("deleting");
            await CloseForGoodAsync(entry).ConfigureAwait(false);
            _options.StepReached?.Invoke("closed");
            await RemoveAsync(entry).ConfigureAwait(false);
            _options.StepReached?.Invoke("deleted");
            return true;
        }
        finally
        {
            entry.Gate.Release();
        }
    }

    /// <summary>Disables or enables. The task ends when its readers have ended and its environment is closed, or it is open
    /// again. False when there is none.</summary>
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
                entry.Record = await StoreAsync(new DatabaseRow(entry.Record with { Disabled = disabled }, DeletionIsSoft: false))
                    .ConfigureAwait(false);
            await OpenOrCloseAsync(entry).ConfigureAwait(false);
            return true;
        }
        finally
        {
            entry.Gate.Release();
        }
    }

    /// <summary>Replaces a record's JSON; with an etag only if it still has that one. Throws
    /// <see cref="DatabaseDoesNotExistException"/>, <see cref="DatabaseExistsException"/>.</summary>
    /// <param name="name">The database.</param>
    /// <param name="recordJson">One JSON object.</param>
    /// <param name="expectedEtag">The etag that the record must have; null for any.</param>
    /// <param name="disabled">Disables or enables the database in the same change; null leaves that as it is.</param>
    public async Task<DatabaseRecord> UpdateRecordAsync(
        string name,
        ReadOnlyMemory<byte> recordJson,
        long? expectedEtag,
        bool? disabled = null
    )
    {
        if (!_entries.TryGetValue(name, out var entry))
            throw new DatabaseDoesNotExistException(name);
        await entry.Gate.WaitAsync().ConfigureAwait(false);
        try
        {
            if (entry.Record.State != DatabaseState.Ready)
                throw new DatabaseDoesNotExistException(name);
            if (expectedEtag is { } expected && expected != entry.Record.Etag)
                throw new DatabaseExistsException(
                    name,
                    $"The record of database '{name}' has etag {entry.Record.Etag}, but was expected to have {expected}."
                );
            var changed = entry.Record with { Json = recordJson.ToArray(), Disabled = disabled ?? entry.Record.Disabled };
            entry.Record = await StoreAsync(new DatabaseRow(changed, DeletionIsSoft: false)).ConfigureAwait(false);
            if (disabled is not null)
                await OpenOrCloseAsync(entry).ConfigureAwait(false);
            return entry.Record;
        }
        finally
        {
            entry.Gate.Release();
        }
    }

    /// <summary>Closes a disabled database, and opens an enabled one. The task ends when the readers of the former have ended.</summary>
    private async Task OpenOrCloseAsync(DatabaseEntry entry)
    {
        if (entry.Record.Disabled && entry.Open is { } open)
        {
            entry.Open = null;
            await open.CloseAsync(new DatabaseDisabledException(open.Name)).ConfigureAwait(false);
        }
        else if (!entry.Record.Disabled && entry.Open is null)
        {
            TryOpen(entry);
        }
    }

    private async Task StoreDeletionAsync(DatabaseEntry entry, bool isSoft)
    {
        try
        {
            entry.Record = await StoreAsync(new DatabaseRow(entry.Record with { State = DatabaseState.Deleting }, isSoft))
                .ConfigureAwait(false);
            entry.DeletionIsSoft = isSoft;
        }
        catch (CommitOutcomeUnknownException unknown)
        {
            // The next start may find the row, and delete: nothing that is written from now on could be kept.
            entry.LoadFailure = unknown;
            await CloseForGoodAsync(entry).ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>The steps of a creation, from an entry alone to a database that is ready.</summary>
    private async Task MakeAsync(DatabaseEntry entry, Func<Database, Task>? prepare)
    {
        entry.Record = await StoreAsync(new DatabaseRow(entry.Record, DeletionIsSoft: false)).ConfigureAwait(false);
        _options.StepReached?.Invoke("creating");
        var open = entry.Withheld = OpenDatabase(entry.Record);
        _options.StepReached?.Invoke("opened");
        if (prepare is not null)
            await prepare(open).ConfigureAwait(false);
        DatabaseRecord ready;
        try
        {
            ready = await StoreAsync(new DatabaseRow(entry.Record with { State = DatabaseState.Ready }, DeletionIsSoft: false))
                .ConfigureAwait(false);
        }
        catch (CommitOutcomeUnknownException)
        {
            // Recovery may replay this row, which then needs its folder; without the row, it removes both.
            entry.OutcomeIsUnknown = true;
            await CloseForGoodAsync(entry).ConfigureAwait(false);
            throw;
        }
        entry.Withheld = null;
        entry.Open = open;
        entry.Record = ready;
        _options.StepReached?.Invoke("ready");
    }

    /// <summary>What could not be created leaves nothing. When not even that succeeds, a deletion or the next start does it.</summary>
    private async Task UndoCreationAsync(DatabaseEntry entry)
    {
        await CloseForGoodAsync(entry).ConfigureAwait(false);
        // Without a record nothing else was made.
        if (entry.Record.Etag > 0)
            await RemoveAsync(entry).ConfigureAwait(false);
        else
            Forget(entry);
    }

    /// <summary>Closes a database that will not be opened again by this process.</summary>
    private async Task CloseForGoodAsync(DatabaseEntry entry)
    {
        if (entry.Open is { } open)
        {
            // Opening it compared the ids.
            entry.FolderIsOwn = true;
            entry.Withheld = open;
            entry.Open = null;
        }
        if (entry.Withheld is not { } withheld)
            return;
        try
        {
            await withheld.CloseAsync(new DatabaseDoesNotExistException(withheld.Name)).ConfigureAwait(false);
        }
        catch (StorageException failure)
        {
            // It is closed all the same, and goes anyway, or is recovered; that its disk fails is worth knowing.
            Found?.Invoke($"Database '{withheld.Name}' could not write its last bytes when it was closed: {failure.Message}");
        }
        entry.Withheld = null;
    }

    /// <summary>The files of a closed database, then its row, then its name. Each step may have been done by an earlier attempt
    /// that failed in the next.</summary>
    private async Task RemoveAsync(DatabaseEntry entry)
    {
        if (_files.Remove(new DatabaseRow(entry.Record, entry.DeletionIsSoft), entry.FolderIsOwn || _options.RunInMemory) is { } finding)
            Found?.Invoke(finding);
        _options.StepReached?.Invoke("removed");
        await InCatalogueAsync(() => _catalogue.Remove(entry.Record.Name)).ConfigureAwait(false);
        Forget(entry);
    }

    private void Forget(DatabaseEntry entry) => _entries.TryRemove(new KeyValuePair<string, DatabaseEntry>(entry.Record.Name, entry));

    private string WhyTaken(string name) =>
        Record(name) is not null
            ? $"Database '{name}' already exists."
            : $"A database '{name}' is being created or deleted. Where that has "
                + "failed, delete it again: this goes on from there, as the next start does.";

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

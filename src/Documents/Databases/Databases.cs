namespace Jackdaw.Documents;

/// <summary>
/// A server's databases. Names are case-insensitive. Thread-safe. Changes are durable when their task ends, and a crash in the middle of one leaves the
/// database as it was or as it was to be, settled at the next start.
/// </summary>
public sealed class Databases : IAsyncDisposable
{
    private Databases() { }

    /// <summary>
    /// Opens the catalogue, settles what a crash left, and opens every enabled database. One that cannot be opened does not prevent the others
    /// (<see cref="Get"/> of it throws). Throws <see cref="Storage.Errors.EnvironmentLockedException"/> when another process has the folder.
    /// </summary>
    public static Databases Open(DatabasesOptions options) => throw new NotSupportedException();

    public Limits Limits => throw new NotSupportedException();

    /// <summary>
    /// Creates a database. <paramref name="recordJson"/> is kept as given (copied). Throws <see cref="Errors.DatabaseExistsException"/>,
    /// <see cref="Errors.InvalidDatabaseNameException"/>.
    /// </summary>
    public Task<DatabaseRecord> CreateAsync(string name, ReadOnlyMemory<byte> recordJson) => throw new NotSupportedException();

    /// <summary>
    /// Deletes a database: from now on it does not exist; the task ends when its readers have ended and its files are gone (hard) or left behind
    /// unreferenced, under <c>Deleted</c> (soft). False when there is none of this name.
    /// </summary>
    public Task<bool> DeleteAsync(string name, bool hard) => throw new NotSupportedException();

    /// <summary>Disables or enables. The task ends when its readers have ended and its environment is closed, or it is open again. False when there is none.</summary>
    public Task<bool> SetDisabledAsync(string name, bool disabled) => throw new NotSupportedException();

    /// <summary>Replaces a record's JSON; with an etag only if it still has that one. Throws <see cref="Errors.DatabaseDoesNotExistException"/>, <see cref="Errors.DatabaseExistsException"/>.</summary>
    public Task<DatabaseRecord> UpdateRecordAsync(string name, ReadOnlyMemory<byte> recordJson, long? expectedEtag) => throw new NotSupportedException();

    /// <summary>An open database. Throws the kinds of <see cref="Errors.DatabaseUnavailableException"/>.</summary>
    public Database Get(string name) => throw new NotSupportedException();

    /// <summary>As <see cref="Get"/>, for a name in UTF-16 that need not become a string.</summary>
    public Database Get(ReadOnlySpan<char> name) => throw new NotSupportedException();

    /// <summary>Null when there is none (or it is being created or deleted).</summary>
    public DatabaseRecord? Record(string name) => throw new NotSupportedException();

    /// <summary>Every database, by name.</summary>
    public IReadOnlyList<DatabaseRecord> List() => throw new NotSupportedException();

    /// <summary>Grows with every change of any record: the server's own "raft index".</summary>
    public long LastRecordEtag => throw new NotSupportedException();

    /// <summary>Closes every database: what was submitted is answered, readers are waited for.</summary>
    public ValueTask DisposeAsync() => throw new NotSupportedException();
}

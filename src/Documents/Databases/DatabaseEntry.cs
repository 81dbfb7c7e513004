namespace Jackdaw.Documents;

/// <summary>One database as the server knows it: its record, and the open database or why it is not open.</summary>
internal sealed class DatabaseEntry
{
    private DatabaseRecord _record;
    private Database? _open;
    private Exception? _loadFailure;

    public DatabaseEntry(DatabaseRecord record) => _record = record;

    /// <summary>Held by whoever creates, deletes, disables or enables it, from the first step to the last.</summary>
    public SemaphoreSlim Gate { get; } = new(1);

    public DatabaseRecord Record
    {
        get => Volatile.Read(ref _record);
        set => Volatile.Write(ref _record, value);
    }

    public Database? Open
    {
        get => Volatile.Read(ref _open);
        set => Volatile.Write(ref _open, value);
    }

    public Exception? LoadFailure
    {
        get => Volatile.Read(ref _loadFailure);
        set => Volatile.Write(ref _loadFailure, value);
    }
}

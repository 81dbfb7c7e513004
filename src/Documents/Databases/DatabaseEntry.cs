namespace Jackdaw.Documents;

/// <summary>One database as the server knows it: its record, and the open database or why it is not open.</summary>
internal sealed class DatabaseEntry
{
    private DatabaseRecord _record;
    private Database? _open;
    private Exception? _loadFailure;
    private bool _isBeingCreated;

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

    /// <summary>Its first creation is under way; it ends before the gate is left.</summary>
    public bool IsBeingCreated
    {
        get => Volatile.Read(ref _isBeingCreated);
        set => Volatile.Write(ref _isBeingCreated, value);
    }

    /// <summary>An open database that nobody gets: not yet, or no more. Under the gate.</summary>
    public Database? Withheld { get; set; }

    /// <summary>The folder is known to be this database's, because this process had it open or makes it. Under the gate.</summary>
    public bool FolderIsOwn { get; set; }

    /// <summary>Of a deletion that has begun. Under the gate.</summary>
    public bool DeletionIsSoft { get; set; }

    /// <summary>Of a creation's last step: the next start settles it, and nothing is undone before. Under the gate.</summary>
    public bool OutcomeIsUnknown { get; set; }

    public Exception? LoadFailure
    {
        get => Volatile.Read(ref _loadFailure);
        set => Volatile.Write(ref _loadFailure, value);
    }
}

namespace Jackdaw.Functions.Handlers.Histories;

/// <summary>What a change of some database is to a database.</summary>
public enum HistoryPlace
{
    /// <summary>The change is one of the database's own, or was made before the database forked off: its etag can be compared.</summary>
    Own,

    /// <summary>An ancestor made the change after the database forked off: the database never had it.</summary>
    AfterFork,

    /// <summary>The other database is no ancestor.</summary>
    Unknown,
}

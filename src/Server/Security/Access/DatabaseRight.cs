namespace Jackdaw.Server.Security;

/// <summary>What a certificate may do in one database, in rising order.</summary>
internal enum DatabaseRight
{
    /// <summary>Reads documents, queries, and follows changes.</summary>
    Read = 1,

    /// <summary>Also writes documents, and defines indexes.</summary>
    ReadWrite,

    /// <summary>Also changes the database's configuration and its tasks.</summary>
    Admin,
}

namespace Jackdaw.Server.Security;

/// <summary>What a route requires of the client that calls it.</summary>
internal enum RequiredRight
{
    /// <summary>Nothing, not even a certificate. Only for probes of the server's health.</summary>
    Anyone,

    /// <summary>A certificate that the server knows. A handler that reads a database's name elsewhere than in the path checks it
    /// itself.</summary>
    Known,

    /// <summary><see cref="DatabaseRight.Read"/> of the database in the path.</summary>
    DatabaseRead,

    /// <summary><see cref="DatabaseRight.ReadWrite"/> of the database in the path.</summary>
    DatabaseReadWrite,

    /// <summary><see cref="DatabaseRight.Admin"/> of the database in the path.</summary>
    DatabaseAdmin,

    /// <summary><see cref="Clearance.Operator"/>.</summary>
    Operator,

    /// <summary><see cref="Clearance.ClusterAdmin"/>.</summary>
    Administrator,
}

namespace Jackdaw.Server.Security;

/// <summary>What a certificate may do on the whole server, in rising order.</summary>
internal enum Clearance
{
    /// <summary>Only what its rights to single databases allow.</summary>
    ValidUser,

    /// <summary>Everything in every database, and everything of the server but the certificates of administrators and the server's own
    /// certificate.</summary>
    Operator,

    /// <summary>Everything.</summary>
    ClusterAdmin,
}

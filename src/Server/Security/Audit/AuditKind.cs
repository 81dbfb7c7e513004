namespace Jackdaw.Server.Security.Audit;

/// <summary>What a line of the audit log tells.</summary>
internal enum AuditKind
{
    /// <summary>An administrative request that was carried out, or failed for another reason than a missing right.</summary>
    Act,

    /// <summary>A request that was refused because its client lacks a right.</summary>
    Refusal,

    /// <summary>A connection that was ended because its certificate was deleted, expired, or lost a right.</summary>
    ConnectionEnded,

    /// <summary>How many lines were left out because there were too many.</summary>
    Omitted,
}

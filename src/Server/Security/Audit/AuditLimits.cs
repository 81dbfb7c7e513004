namespace Jackdaw.Server.Security.Audit;

/// <summary>The bounds of the audit log.</summary>
internal static class AuditLimits
{
    /// <summary>Administrative acts whose lines wait to be written, or that are being carried out; further ones are refused.</summary>
    public const int MaxWaitingActs = 4096;

    /// <summary>Other lines that wait to be written; further ones are counted.</summary>
    public const int MaxWaiting = 4096;

    /// <summary>Refusals of known clients a minute that have a line each; further ones are counted.</summary>
    public const int MaxRefusalsPerMinute = 120;

    /// <summary>Likewise of clients that the server does not know: however many they send, those of known clients are told.</summary>
    public const int MaxUnknownRefusalsPerMinute = 120;

    /// <summary>Characters of one text of a line; the rest is cut off.</summary>
    public const int MaxText = 1024;
}

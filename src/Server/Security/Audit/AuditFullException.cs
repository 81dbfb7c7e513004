namespace Jackdaw.Server.Security.Audit;

/// <summary>An administrative act was not begun because its line could not be written; answered with 503 and Retry-After.</summary>
public sealed class AuditFullException : Exception
{
    /// <summary>Creates the error.</summary>
    public AuditFullException()
        : base(
            $"The audit log cannot be written, and {AuditLimits.MaxWaitingActs:N0} administrative acts wait for it "
                + "(AuditLimits.MaxWaitingActs, fixed): this one was not begun, and nothing was changed. Make the folder of "
                + "Security.AuditLog.FolderPath writable for the server, and free space on its disk."
        ) { }
}

namespace Jackdaw.Server.Operations;

/// <summary>How far a bulk insert is: what is counted here is durable.</summary>
internal sealed record BulkInsertProgress(long DocumentsProcessed, long BatchCount, string? LastProcessedId)
{
    public static readonly BulkInsertProgress None = new(0, 0, null);
}

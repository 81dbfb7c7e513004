namespace Jackdaw.Server.Security.Audit;

/// <summary>One line of the audit log.</summary>
internal sealed record AuditEntry
{
    /// <summary>What it tells.</summary>
    public required AuditKind Kind { get; init; }

    /// <summary>The certificate's name; null for a client that was not recognised.</summary>
    public string? Client { get; init; }

    /// <summary>The certificate's SHA-1 thumbprint; null for a client that was not recognised.</summary>
    public string? Thumbprint { get; init; }

    /// <summary>The user of the machine who gave a command; null for a request.</summary>
    public string? User { get; init; }

    /// <summary>The command; null for a request.</summary>
    public string? Command { get; init; }

    /// <summary>The client's address and port; null where it has none.</summary>
    public string? From { get; init; }

    /// <summary>The request's method.</summary>
    public string? Method { get; init; }

    /// <summary>The request's path, decoded.</summary>
    public string? Path { get; init; }

    /// <summary>The request's query, as it came.</summary>
    public string? Query { get; init; }

    /// <summary>What the request's body is about, such as the names of databases; null when path and query say all.</summary>
    public string? Subject { get; init; }

    /// <summary>The status of the answer.</summary>
    public int? Status { get; init; }

    /// <summary>Why the request was refused.</summary>
    public string? Reason { get; init; }

    /// <summary>How many lines were left out.</summary>
    public long? Count { get; init; }
}

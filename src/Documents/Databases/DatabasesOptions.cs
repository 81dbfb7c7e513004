namespace Jackdaw.Documents;

/// <summary>How a server's databases are opened.</summary>
public sealed record DatabasesOptions
{
    /// <summary>The folder that holds <c>System</c> and <c>Databases</c>; created when absent. Ignored when in memory.</summary>
    public required string DataDir { get; init; }

    /// <summary>Keep everything in memory: nothing survives the process.</summary>
    public bool RunInMemory { get; init; }

    public Limits Limits { get; init; } = Limits.Default;

    /// <summary>One to four capital letters; baked into generated ids and change vectors.</summary>
    public string NodeTag { get; init; } = "A";
}

namespace Jackdaw.Etl.Configuration;

/// <summary>Every file that the process can read, and every variable: for a server that serves its own machine only.</summary>
public sealed class UnboundMachineSecrets : IMachineSecrets
{
    /// <summary>The only one.</summary>
    public static readonly UnboundMachineSecrets Instance = new();

    private UnboundMachineSecrets() { }

    /// <inheritdoc/>
    public string RequireFile(string path) => path;

    /// <inheritdoc/>
    public void RequireVariable(string name) { }
}

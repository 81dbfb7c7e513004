namespace Jackdaw.Etl.Configuration;

/// <summary>
/// Which files and environment variables of the server's machine a connection string may use. The server's own key, passwords and settings
/// are not for tasks: whoever learns them administers the server. Thread-safe.
/// </summary>
public interface IMachineSecrets
{
    /// <summary>Checks a file that a connection string names, whenever it is about to be read.</summary>
    /// <param name="path">As the connection string has it.</param>
    /// <returns>The path to open.</returns>
    /// <exception cref="RefusedSecretException">Connection strings must not use the file.</exception>
    string RequireFile(string path);

    /// <summary>Checks an environment variable that a connection string names, whenever it is about to be read.</summary>
    /// <exception cref="RefusedSecretException">Connection strings must not use the variable.</exception>
    void RequireVariable(string name);
}

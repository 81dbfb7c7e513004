namespace Jackdaw.Etl.Configuration;

/// <summary>A connection string names a file or an environment variable that connection strings of this server must not use. It is not
/// stored.</summary>
public sealed class RefusedSecretException : InvalidConfigurationException
{
    /// <summary>Creates the error; the message names the setting that says what may be used.</summary>
    public RefusedSecretException(string message)
        : base(message) { }
}

namespace Jackdaw.Etl.Configuration;

/// <summary>A task or a connection string that cannot be; the message says what is wrong and never shows a secret.</summary>
public class InvalidConfigurationException : Exception
{
    /// <summary>Creates the error; the message names the member and the rule.</summary>
    public InvalidConfigurationException(string message)
        : base(message) { }
}

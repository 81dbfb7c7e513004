namespace Jackdaw.Server.Configuration;

/// <summary>The settings cannot be used: one is unknown, malformed or refused. The message names it; the server does not start.</summary>
public sealed class ConfigurationException : Exception
{
    /// <summary>Creates the error; the message names the setting.</summary>
    public ConfigurationException(string message)
        : base(message) { }

    /// <summary>Creates the error; the message names the setting.</summary>
    public ConfigurationException(string message, Exception cause)
        : base(message, cause) { }
}

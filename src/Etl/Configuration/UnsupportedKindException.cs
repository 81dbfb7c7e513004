namespace Jackdaw.Etl.Configuration;

/// <summary>The protocol knows this kind of task or connection string, and this server does not support it yet.</summary>
public sealed class UnsupportedKindException : InvalidConfigurationException
{
    /// <summary>Creates the exception.</summary>
    public UnsupportedKindException(string message)
        : base(message) { }
}

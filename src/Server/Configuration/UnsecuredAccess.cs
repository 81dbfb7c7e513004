namespace Jackdaw.Server.Configuration;

/// <summary>From where plain http may be reached.</summary>
public enum UnsecuredAccess
{
    /// <summary>Loopback only.</summary>
    Local,

    /// <summary>Private networks.</summary>
    PrivateNetwork,

    /// <summary>Every network.</summary>
    PublicNetwork,
}

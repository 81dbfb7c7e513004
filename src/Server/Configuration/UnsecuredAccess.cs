namespace Jackdaw.Server.Configuration;

/// <summary>From where plain http may be reached.</summary>
public enum UnsecuredAccess
{
    Local,
    PrivateNetwork,
    PublicNetwork,
}

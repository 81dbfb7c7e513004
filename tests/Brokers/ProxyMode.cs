namespace Jackdaw.Brokers;

/// <summary>What a <see cref="CuttingProxy"/> does with connections.</summary>
public enum ProxyMode
{
    /// <summary>Bytes pass in both directions.</summary>
    Pass,

    /// <summary>Connections are accepted and stay, and no byte passes in either direction; what was sent passes once the mode is
    /// <see cref="Pass"/> again.</summary>
    BlackHole,

    /// <summary>Connections that exist are cut, new ones are refused.</summary>
    Refuse,
}

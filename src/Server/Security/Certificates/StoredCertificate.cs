namespace Jackdaw.Server.Security.Certificates;

/// <summary>A certificate of the store as it is kept in memory: who it is and what it may do, without its bytes. Immutable.</summary>
internal sealed class StoredCertificate
{
    public StoredCertificate(
        CertificateFacts facts,
        string thumbprint,
        string name,
        Clearance clearance,
        IReadOnlyDictionary<string, DatabaseRight> rights,
        DateTime storedAt
    )
    {
        Facts = facts;
        StoredAt = storedAt;
        Access = new Access
        {
            Name = name,
            Thumbprint = thumbprint,
            Clearance = clearance,
            Databases = rights,
            ValidUntil = facts.NotAfter,
        };
        Identification = Identification.Of(Access);
    }

    /// <summary>Hash, public key, dates and purpose.</summary>
    public CertificateFacts Facts { get; }

    /// <summary>When it was stored, UTC.</summary>
    public DateTime StoredAt { get; }

    /// <summary>What its holder may do.</summary>
    public Access Access { get; }

    /// <summary>The same, as the gate is answered.</summary>
    public Identification Identification { get; }

    public string Name => Access.Name;

    public string Thumbprint => Access.Thumbprint;

    public Clearance Clearance => Access.Clearance;

    public IReadOnlyDictionary<string, DatabaseRight> Rights => Access.Databases;
}

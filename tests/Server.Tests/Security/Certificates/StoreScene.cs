using System.Security.Cryptography.X509Certificates;
using Jackdaw.Documents;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Server.Tests.Security.Certificates;

/// <summary>A store of certificates in memory, by a clock of the test's.</summary>
internal sealed class StoreScene : IDisposable
{
    public static readonly EnvironmentOptions Storage = new() { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 };

    private readonly Catalogue _catalogue = new(new MemoryDisk(), Storage);
    private readonly SemaphoreSlim _gate = new(1);
    private readonly List<ClientKey> _keys = [];

    public StoreScene(string? wellKnown = null)
    {
        Store = new CertificateStore(
            new SystemRows(_catalogue, _gate, CertificateRow.Tree, CertificateRow.Format),
            WellKnownAdministrators.Parse(wellKnown),
            Clock
        );
        Store.Changed += Changes.Add;
    }

    public ManualClock Clock { get; } = new();

    public CertificateStore Store { get; }

    /// <summary>What the gate would have been told.</summary>
    public List<CertificateChange> Changes { get; } = [];

    public ClientKey Key()
    {
        var key = new ClientKey { Clock = Clock };
        _keys.Add(key);
        return key;
    }

    /// <summary>Stores a certificate of a new key.</summary>
    public async Task<X509Certificate2> AddAsync(string name, Clearance clearance, params (string Database, DatabaseRight Right)[] rights)
    {
        var certificate = Key().Certificate(name);
        await Store.PutAsync(New(name, clearance, certificate, rights), Access.Unsecured);
        return certificate;
    }

    public static NewCertificate New(
        string name,
        Clearance clearance,
        X509Certificate2? certificate,
        params (string Database, DatabaseRight Right)[] rights
    ) =>
        new(
            name,
            clearance,
            rights.ToDictionary(one => one.Database, one => one.Right),
            certificate?.RawData ?? default(ReadOnlyMemory<byte>)
        );

    /// <summary>What a certificate may do; fails where it is refused.</summary>
    public Access AccessOf(X509Certificate2 certificate)
    {
        var identified = Store.Identify(certificate);
        Assert.Null(identified.Denial);
        return identified.Access!;
    }

    /// <summary>Why a certificate is refused; fails where it is not.</summary>
    public string DenialOf(X509Certificate2 certificate)
    {
        var identified = Store.Identify(certificate);
        Assert.Null(identified.Access);
        return identified.Denial!;
    }

    public void Dispose()
    {
        Store.Dispose();
        _catalogue.Dispose();
        _gate.Dispose();
        foreach (var key in _keys)
            key.Dispose();
    }
}

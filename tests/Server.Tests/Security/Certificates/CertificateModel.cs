using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Tests.Security.Certificates;

/// <summary>What a store of certificates must hold and answer, told without its code: a list of records.</summary>
internal sealed class CertificateModel(IReadOnlyList<X509Certificate2> pool)
{
    private readonly List<Record> _records = [];

    public CertificateModel Copy()
    {
        var copy = new CertificateModel(pool);
        copy._records.AddRange(_records);
        return copy;
    }

    /// <summary>Null when the change is allowed, and made; else the kind of its refusal.</summary>
    public Type? Put(Access by, int target, NewCertificate given, DateTimeOffset now)
    {
        if (!May(by, given.Clearance))
            return typeof(AccessDeniedException);
        if (_records.Any(one => KeyOf(one.Target) == KeyOf(target) && !May(by, one.Clearance)))
            return typeof(AccessDeniedException);
        Set(target, given, now);
        return null;
    }

    public Type? Edit(Access by, int target, NewCertificate given, DateTimeOffset now)
    {
        if (!May(by, Clearance.ValidUser))
            return typeof(AccessDeniedException);
        if (Of(target) is not { } record)
            return typeof(CertificateNotFoundException);
        if (!May(by, given.Clearance) || !May(by, record.Clearance))
            return typeof(AccessDeniedException);
        Set(target, given, now);
        return null;
    }

    public Type? Delete(Access by, int target)
    {
        if (!May(by, Clearance.ValidUser))
            return typeof(AccessDeniedException);
        if (Of(target) is not { } record)
            return typeof(CertificateNotFoundException);
        if (!May(by, record.Clearance))
            return typeof(AccessDeniedException);
        if (by.Thumbprint == pool[target].Thumbprint)
            return typeof(CertificateException);
        _records.Remove(record);
        return null;
    }

    /// <summary>The record that a certificate acts by: its own, else the newest of its key.</summary>
    public Access? AccessOf(X509Certificate2 certificate)
    {
        var own = _records.Find(one => pool[one.Target].RawData.AsSpan().SequenceEqual(certificate.RawData));
        own ??= _records.Where(one => KeyOf(one.Target) == KeyOf(certificate)).MaxBy(one => one.At);
        return own is null
            ? null
            : new Access
            {
                Name = own.Name,
                Thumbprint = pool[own.Target].Thumbprint,
                Clearance = own.Clearance,
                Databases = own.Rights,
            };
    }

    public static bool Loses(Access had, Access? has) =>
        has is null
        || has.Clearance < had.Clearance
        || (has.Clearance == Clearance.ValidUser && had.Databases.Any(one => !has.May(one.Key, one.Value)));

    public void Verify(CertificateStore store)
    {
        Assert.Equal(Describe(), Describe(store));
        foreach (var certificate in pool)
        {
            var expected = AccessOf(certificate);
            var found = store.Identify(certificate).Access;
            Assert.Equal(expected is null ? null : Describe(expected), found is null ? null : Describe(found));
            if (store.Find(certificate.Thumbprint) is { } stored)
                Assert.Equal(certificate.RawData, store.Bytes(stored));
        }
    }

    public string Describe() =>
        string.Join('\n', _records.Select(one => Describe(AccessOf(pool[one.Target])!)).Order(StringComparer.Ordinal));

    public static string Describe(CertificateStore store) =>
        string.Join('\n', store.List().Select(one => Describe(one.Access)).Order(StringComparer.Ordinal));

    private static string Describe(Access access) =>
        $"{access.Thumbprint} {access.Name} {access.Clearance} "
        + string.Join(',', access.Databases.Select(one => $"{one.Key}={one.Value}").Order(StringComparer.Ordinal));

    private static bool May(Access by, Clearance clearance) =>
        by.Clearance >= Clearance.Operator && (clearance < Clearance.ClusterAdmin || by.Clearance == Clearance.ClusterAdmin);

    private static string KeyOf(X509Certificate2 certificate) => certificate.GetPublicKeyString();

    private string KeyOf(int target) => KeyOf(pool[target]);

    private Record? Of(int target) => _records.Find(one => one.Target == target);

    private void Set(int target, NewCertificate given, DateTimeOffset now)
    {
        _records.RemoveAll(one => one.Target == target);
        _records.Add(new Record(target, given.Name, given.Clearance, given.Rights, now));
    }

    private sealed record Record(
        int Target,
        string Name,
        Clearance Clearance,
        IReadOnlyDictionary<string, DatabaseRight> Rights,
        DateTimeOffset At
    );
}

using System.Collections.Concurrent;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Documents;

namespace Jackdaw.Server.Security.Certificates;

/// <summary>
/// The certificates of clients: what the tree in <c>System</c> holds, also in memory, without the certificates' bytes. Thread-safe.
/// Each change is durable before its task ends, changes take turns, and no identification waits for one.
/// </summary>
internal sealed partial class CertificateStore : ICertificateIdentification, IDisposable
{
    private readonly SystemRows _rows;
    private readonly WellKnownAdministrators _wellKnown;
    private readonly TimeProvider _clock;
    private readonly SemaphoreSlim _changes = new(1);
    private readonly ConcurrentDictionary<CertificateHash, StoredCertificate> _byHash = new();
    private readonly ConcurrentDictionary<string, StoredCertificate> _byThumbprint = new(StringComparer.Ordinal);

    /// <summary>By public key, the certificate that was stored last in front.</summary>
    private readonly ConcurrentDictionary<CertificateHash, StoredCertificate[]> _byPin = new();

    private volatile OwnCertificate? _own;
    private int _version;
    private int _rights;

    /// <exception cref="Storage.Errors.UnsupportedFormatException">The certificates that are there have another format.</exception>
    public CertificateStore(SystemRows rows, WellKnownAdministrators wellKnown, TimeProvider? clock = null)
    {
        _rows = rows;
        _wellKnown = wellKnown;
        _clock = clock ?? TimeProvider.System;
        rows.ReadAll((key, row) => Remember(CertificateRow.Read(key, row)));
    }

    /// <summary>Told of each certificate that was deleted or may do less than before, after <see cref="Version"/> has grown. Must not
    /// throw.</summary>
    public event Action<CertificateChange>? Changed;

    /// <summary>Told after each change, whatever it is. Must not throw.</summary>
    public event Action? Stored;

    /// <inheritdoc/>
    public int Version => Volatile.Read(ref _version);

    /// <summary>How many certificates are stored.</summary>
    public int Count => _byHash.Count;

    /// <summary>Administrators without a record, as the setting names them.</summary>
    public IReadOnlyList<string> WellKnown => _wellKnown.Entries;

    /// <summary>The thumbprint of the server's own certificate; null where it has none.</summary>
    public string? OwnThumbprint => _own?.Access.Thumbprint;

    /// <summary>Every certificate, by name.</summary>
    public IReadOnlyList<StoredCertificate> List() =>
        [
            .. _byHash
                .Values.OrderBy(one => one.Name, StringComparer.OrdinalIgnoreCase)
                .ThenBy(one => one.Thumbprint, StringComparer.Ordinal),
        ];

    /// <summary>Finds a certificate by its SHA-1 or SHA-256 thumbprint; null when there is none.</summary>
    public StoredCertificate? Find(string thumbprint)
    {
        var digits = Thumbprints.Normalized(thumbprint);
        if (_byThumbprint.TryGetValue(digits, out var found))
            return found;
        return digits.Length == 64 && digits.All(char.IsAsciiHexDigit)
            ? _byHash.GetValueOrDefault(CertificateHash.FromBytes(Convert.FromHexString(digits)))
            : null;
    }

    /// <summary>The other certificates that have the same public key: their rights are those of the same holder.</summary>
    public IReadOnlyList<StoredCertificate> WithSameKey(StoredCertificate certificate) =>
        [.. WithKey(certificate.Facts.Pin).Where(other => other.Facts.Hash != certificate.Facts.Hash)];

    /// <summary>Reads the bytes of a stored certificate; null when it has been deleted meanwhile.</summary>
    public byte[]? Bytes(StoredCertificate certificate) =>
        _rows.Find(certificate.Facts.Hash.ToBytes()) is { } row ? CertificateRow.Certificate(row).ToArray() : null;

    /// <summary>Names the server's own certificate, whose holder is an administrator, in the place of the one before.</summary>
    public void SetOwn(X509Certificate2 certificate)
    {
        var before = _own;
        var own = new OwnCertificate(certificate);
        _own = own;
        Interlocked.Increment(ref _version);
        if (before is not null && before.Facts.Pin != own.Facts.Pin)
            Changed?.Invoke(new CertificateChange(before.Access, null));
    }

    /// <inheritdoc/>
    public void Dispose() => _changes.Dispose();

    private StoredCertificate[] WithKey(CertificateHash pin) => _byPin.GetValueOrDefault(pin) ?? [];

    private void Remember(StoredCertificate certificate)
    {
        if (_byHash.TryGetValue(certificate.Facts.Hash, out var before))
            _rights -= before.Rights.Count;
        _rights += certificate.Rights.Count;
        _byHash[certificate.Facts.Hash] = certificate;
        _byThumbprint[certificate.Thumbprint] = certificate;
        _byPin[certificate.Facts.Pin] =
        [
            .. WithSameKey(certificate)
                .Append(certificate)
                .OrderByDescending(one => one.StoredAt)
                .ThenByDescending(one => one.Thumbprint, StringComparer.Ordinal),
        ];
    }

    private void Forget(StoredCertificate certificate)
    {
        _rights -= certificate.Rights.Count;
        _byHash.TryRemove(certificate.Facts.Hash, out _);
        _byThumbprint.TryRemove(certificate.Thumbprint, out _);
        if (WithSameKey(certificate) is { Count: > 0 } others)
            _byPin[certificate.Facts.Pin] = [.. others];
        else
            _byPin.TryRemove(certificate.Facts.Pin, out _);
    }
}

using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Documents;
using Jackdaw.Documents.Errors;

namespace Jackdaw.Server.Security.Certificates;

/// <summary>Changes: who may make them is decided under the lock that orders them.</summary>
internal sealed partial class CertificateStore
{
    /// <summary>Stores a certificate, or replaces name, clearance and rights of one that is stored already.</summary>
    /// <param name="given">The certificate.</param>
    /// <param name="by">Whose request this is.</param>
    /// <exception cref="CertificateException">The certificate, its name or its rights are not acceptable, or a limit is
    /// reached.</exception>
    /// <exception cref="AccessDeniedException">The client may not manage such a certificate.</exception>
    /// <exception cref="Storage.Errors.StorageException">The change could not be stored.</exception>
    public async Task<StoredCertificate> PutAsync(NewCertificate given, Access by)
    {
        Validate(given);
        var facts = Facts(given.Certificate.Span);
        var thumbprint = CertificateFacts.Thumbprint(given.Certificate.Span);
        List<CertificateChange> changes = [];
        StoredCertificate stored;
        await _changes.WaitAsync().ConfigureAwait(false);
        try
        {
            RequireAuthority(by, given.Clearance, $"make '{given.Name}' an administrator");
            if (_own is { } own && own.Facts.Pin == facts.Pin)
                throw new CertificateException("This certificate has the server's own key, whose holder is an administrator already.");
            _byHash.TryGetValue(facts.Hash, out var before);
            if (before is not null)
                RequireAuthority(by, before.Clearance, $"change the administrator's certificate '{before.Name}'");
            else if (_byThumbprint.ContainsKey(thumbprint))
                throw new CertificateException($"Another certificate with the SHA-1 thumbprint {thumbprint} is stored; delete it first.");
            RequireRoom(before, given);
            foreach (var sameKey in WithKey(facts.Pin).Where(one => one != before))
            {
                RequireAuthority(by, sameKey.Clearance, $"store a certificate with the key of the administrator's '{sameKey.Name}'");
                // Renewed certificates of this key had the rights of that record, which may be more than they have now.
                changes.Add(new CertificateChange(sameKey.Access, sameKey.Access));
            }
            stored = await StoreAsync(given, facts, given.Certificate).ConfigureAwait(false);
            if (before is not null && CertificateChange.IsLess(before.Access, stored.Access))
                changes.Add(new CertificateChange(before.Access, stored.Access));
        }
        finally
        {
            _changes.Release();
        }
        Tell(changes);
        return stored;
    }

    /// <summary>Replaces name, clearance and rights of a stored certificate.</summary>
    /// <exception cref="CertificateNotFoundException">There is none with that thumbprint.</exception>
    /// <exception cref="CertificateException">The name or the rights are not acceptable.</exception>
    /// <exception cref="AccessDeniedException">The client may not manage such a certificate.</exception>
    /// <exception cref="Storage.Errors.StorageException">The change could not be stored.</exception>
    public Task<StoredCertificate> EditAsync(string thumbprint, NewCertificate given, Access by) => EditAsync(thumbprint, _ => given, by);

    /// <summary>Replaces what <paramref name="change"/> makes of a stored certificate, which nothing else changes meanwhile.</summary>
    /// <exception cref="CertificateNotFoundException">There is none with that thumbprint.</exception>
    /// <exception cref="CertificateException">The name or the rights are not acceptable.</exception>
    /// <exception cref="AccessDeniedException">The client may not manage such a certificate.</exception>
    /// <exception cref="Storage.Errors.StorageException">The change could not be stored.</exception>
    public async Task<StoredCertificate> EditAsync(string thumbprint, Func<StoredCertificate, NewCertificate> change, Access by)
    {
        List<CertificateChange> changes = [];
        StoredCertificate stored;
        await _changes.WaitAsync().ConfigureAwait(false);
        try
        {
            RequireAuthority(by, Clearance.ValidUser, "change a certificate");
            var before = Find(thumbprint) ?? throw new CertificateNotFoundException(thumbprint);
            var given = change(before);
            Validate(given);
            RequireAuthority(by, given.Clearance, $"make '{given.Name}' an administrator");
            RequireAuthority(by, before.Clearance, $"change the administrator's certificate '{before.Name}'");
            RequireRoom(before, given);
            var bytes = Bytes(before);
            Storage.Invariant.Require(bytes is not null);
            stored = await StoreAsync(given, before.Facts, bytes).ConfigureAwait(false);
            if (CertificateChange.IsLess(before.Access, stored.Access))
                changes.Add(new CertificateChange(before.Access, stored.Access));
        }
        finally
        {
            _changes.Release();
        }
        Tell(changes);
        return stored;
    }

    /// <summary>Deletes a certificate. The last administrator's may go: the holder of the server's own certificate remains.</summary>
    /// <exception cref="CertificateNotFoundException">There is none with that thumbprint.</exception>
    /// <exception cref="CertificateException">The request itself uses the certificate.</exception>
    /// <exception cref="AccessDeniedException">The client may not manage such a certificate.</exception>
    /// <exception cref="Storage.Errors.StorageException">The change could not be stored.</exception>
    public async Task<StoredCertificate> DeleteAsync(string thumbprint, Access by)
    {
        StoredCertificate before;
        await _changes.WaitAsync().ConfigureAwait(false);
        try
        {
            RequireAuthority(by, Clearance.ValidUser, "delete a certificate");
            before = Find(thumbprint) ?? throw new CertificateNotFoundException(thumbprint);
            RequireAuthority(by, before.Clearance, $"delete the administrator's certificate '{before.Name}'");
            if (before.Thumbprint == by.Thumbprint)
                throw new CertificateException(
                    $"The certificate '{before.Name}' (thumbprint {before.Thumbprint}) is the one that this request uses. Delete it with "
                        + "another certificate, or with './run certificates delete' on the server's machine."
                );
            await _rows.RemoveAsync(before.Facts.Hash.ToBytes()).ConfigureAwait(false);
            Forget(before);
            Interlocked.Increment(ref _version);
        }
        finally
        {
            _changes.Release();
        }
        Tell([new CertificateChange(before.Access, null)]);
        return before;
    }

    /// <summary>Checks all that can be checked before there is a certificate, so that no key is made in vain.</summary>
    /// <exception cref="CertificateException">The name or the rights are not acceptable, or a limit is reached.</exception>
    /// <exception cref="AccessDeniedException">The client may not make such a certificate.</exception>
    public void RequireAcceptable(NewCertificate given, Access by)
    {
        Validate(given);
        RequireAuthority(by, given.Clearance, $"make '{given.Name}' an administrator");
        RequireRoom(null, given);
    }

    /// <summary>Checks whether a client may make or change a certificate of a clearance, as the store is at this moment.</summary>
    /// <exception cref="AccessDeniedException">It may not.</exception>
    public void RequireAuthority(Access by, Clearance clearance, string what)
    {
        // What the request was let in with may have been deleted or lowered while it waited for its turn.
        var now = by;
        if (by.Thumbprint.Length > 0 && by.Thumbprint != OwnThumbprint && !IsWellKnown(by))
            now =
                _byThumbprint.GetValueOrDefault(by.Thumbprint)?.Access
                ?? throw new AccessDeniedException(
                    $"The certificate '{by.Name}' (thumbprint {by.Thumbprint}) was deleted while its request waited."
                );
        if (!now.IsOperator)
            throw new AccessDeniedException(
                $"To {what} requires the clearance Operator, and the certificate '{now.Name}' has {now.Clearance}."
            );
        if (clearance == Clearance.ClusterAdmin && !now.IsAdministrator)
            throw new AccessDeniedException(
                $"To {what} requires the clearance ClusterAdmin, and the certificate '{now.Name}' has {now.Clearance}. An administrator "
                    + "does it, or './run certificates' on the server's machine."
            );
    }

    private static bool IsWellKnown(Access by) => by.Name == WellKnownName && by.IsAdministrator;

    private async Task<StoredCertificate> StoreAsync(NewCertificate given, CertificateFacts facts, ReadOnlyMemory<byte> certificate)
    {
        var row = CertificateRow.Write(given.Name, given.Clearance, given.Rights, _clock.GetUtcNow().UtcDateTime, certificate.Span);
        await _rows.PutAsync(facts.Hash.ToBytes(), row).ConfigureAwait(false);
        var stored = CertificateRow.Read(facts.Hash.ToBytes(), row);
        Remember(stored);
        Interlocked.Increment(ref _version);
        return stored;
    }

    private void Tell(IEnumerable<CertificateChange> changes)
    {
        foreach (var change in changes)
            Changed?.Invoke(change);
        Stored?.Invoke();
    }

    private void RequireRoom(StoredCertificate? before, NewCertificate given)
    {
        if (before is null && _byHash.Count >= CertificateLimits.MaxCertificates)
            throw new CertificateException(
                $"The server has {CertificateLimits.MaxCertificates:N0} certificates, which is the limit "
                    + "(CertificateLimits.MaxCertificates). Delete those that are not needed any more."
            );
        var rights = _rights - (before?.Rights.Count ?? 0) + given.Rights.Count;
        if (rights > CertificateLimits.MaxRightsInAll)
            throw new CertificateException(
                $"All certificates together would have rights to {rights:N0} databases; the limit is {CertificateLimits.MaxRightsInAll:N0} "
                    + "(CertificateLimits.MaxRightsInAll). The clearance Operator needs none."
            );
    }

    private static void Validate(NewCertificate given)
    {
        if (string.IsNullOrWhiteSpace(given.Name) || given.Name.Length > CertificateLimits.MaxNameLength)
            throw new CertificateException(
                $"A certificate's name has 1 to {CertificateLimits.MaxNameLength} characters, and this one has "
                    + $"{given.Name?.Length ?? 0:N0} (CertificateLimits.MaxNameLength)."
            );
        if (given.Name is WellKnownName or OwnCertificate.Name)
            throw new CertificateException($"The name '{given.Name}' is reserved.");
        if (given.Name.Any(char.IsControl))
            throw new CertificateException("A certificate's name cannot hold control characters.");
        if (given.Rights.Count > CertificateLimits.MaxRights)
            throw new CertificateException(
                $"A certificate has rights to at most {CertificateLimits.MaxRights:N0} databases, and this one names "
                    + $"{given.Rights.Count:N0} (CertificateLimits.MaxRights). The clearance Operator needs none."
            );
        foreach (var database in given.Rights.Keys)
        {
            try
            {
                Databases.RequireName(database);
            }
            catch (InvalidDatabaseNameException e)
            {
                throw new CertificateException($"The rights name a database that cannot exist. {e.Message}", e);
            }
        }
    }

    private static CertificateFacts Facts(ReadOnlySpan<byte> certificate)
    {
        if (certificate.Length > CertificateLimits.MaxCertificateBytes)
            throw new CertificateException(
                $"The certificate has {certificate.Length:N0} bytes; the limit is {CertificateLimits.MaxCertificateBytes:N0} "
                    + "(CertificateLimits.MaxCertificateBytes)."
            );
        if (!CertificateFacts.TryRead(certificate, out var facts))
            throw new CertificateException("These bytes are not an X.509 certificate.");
        try
        {
            using var loaded = X509CertificateLoader.LoadCertificate(certificate);
            using var rsa = loaded.GetRSAPublicKey();
            if (rsa is { KeySize: < CertificateLimits.MinRsaBits })
                throw new CertificateException(
                    $"The certificate's RSA key has {rsa.KeySize:N0} bits. TLS accepts keys of "
                        + $"{CertificateLimits.MinRsaBits:N0} bits or more."
                );
        }
        catch (CryptographicException e)
        {
            throw new CertificateException($"The certificate cannot be loaded: {e.Message}", e);
        }
        return facts;
    }
}

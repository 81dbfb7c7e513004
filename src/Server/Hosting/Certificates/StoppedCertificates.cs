using Jackdaw.Documents;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Audit;
using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Hosting.Certificates;

/// <summary>The certificates in the data folder of a server that does not run. Whoever may write there may do everything.</summary>
internal sealed class StoppedCertificates : ICertificateList
{
    private readonly ServerConfiguration _configuration;
    private readonly StoppedSystem _system;
    private readonly CertificateStore _store;

    /// <exception cref="Storage.Errors.EnvironmentLockedException">A server runs on the folder.</exception>
    public StoppedCertificates(ServerConfiguration configuration, WellKnownAdministrators wellKnown)
    {
        _configuration = configuration;
        var options = configuration.DatabasesOptions();
        Place = $"the data folder {options.DataDir}";
        _system = StoppedSystem.Open(options);
        try
        {
            _store = new CertificateStore(_system.Rows(CertificateRow.Tree, CertificateRow.Format), wellKnown);
        }
        catch
        {
            _system.Dispose();
            throw;
        }
    }

    public string Place { get; }

    public IReadOnlyList<string> WellKnown => _store.WellKnown;

    public Task<IReadOnlyList<ShownCertificate>> ListAsync() =>
        Task.FromResult<IReadOnlyList<ShownCertificate>>([.. _store.List().Select(Shown)]);

    public Task PutAsync(NewCertificate certificate) =>
        ActAsync(
            "store",
            $"{CertificateFacts.Thumbprint(certificate.Certificate.Span)}: "
                + new CertificateEdit
                {
                    Name = certificate.Name,
                    Clearance = certificate.Clearance,
                    Rights = certificate.Rights,
                },
            () => _store.PutAsync(certificate, Access.Unsecured)
        );

    public Task EditAsync(string thumbprint, CertificateEdit edit) =>
        ActAsync("edit", $"{thumbprint}: {edit}", () => _store.EditAsync(thumbprint, edit.Of, Access.Unsecured));

    public Task DeleteAsync(string thumbprint) =>
        ActAsync("delete", $"{thumbprint}: {_store.Find(thumbprint)?.Name}", () => _store.DeleteAsync(thumbprint, Access.Unsecured));

    public void Dispose()
    {
        _store.Dispose();
        _system.Dispose();
    }

    private async Task ActAsync(string command, string subject, Func<Task<StoredCertificate>> change)
    {
        try
        {
            await CommandAudit.RunAsync(
                _configuration,
                $"certificates {command}",
                subject,
                async () =>
                {
                    await change();
                    return null;
                }
            );
        }
        catch (Exception e) when (e is CertificateException or CertificateNotFoundException)
        {
            throw new RefusedException(e.Message, e);
        }
    }

    private static ShownCertificate Shown(StoredCertificate one) =>
        new(
            one.Name,
            one.Clearance,
            one.Thumbprint,
            one.Facts.Hash.ToString(),
            Convert.ToBase64String(one.Facts.Pin.ToBytes()),
            one.Facts.NotBefore,
            one.Facts.NotAfter,
            one.Rights
        );
}

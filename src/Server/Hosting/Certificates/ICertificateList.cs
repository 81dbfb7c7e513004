using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Hosting.Certificates;

/// <summary>A server's certificates, wherever they are reached. Errors are <see cref="RefusedException"/>s and those of the disk or the
/// network.</summary>
internal interface ICertificateList : IDisposable
{
    /// <summary>Names the place in sentences, e.g. "the server at https://…".</summary>
    string Place { get; }

    /// <summary>Reads every stored certificate, by name.</summary>
    Task<IReadOnlyList<ShownCertificate>> ListAsync();

    /// <summary>Administrators that a setting names, as the last list had them.</summary>
    IReadOnlyList<string> WellKnown { get; }

    Task PutAsync(NewCertificate certificate);

    /// <summary>Changes what the edit names, and nothing else.</summary>
    Task EditAsync(string thumbprint, CertificateEdit edit);

    Task DeleteAsync(string thumbprint);
}

namespace Jackdaw.Server.Security.Certificates;

/// <summary>What is to be stored of a certificate.</summary>
/// <param name="Name">For people: 1 to 256 characters. Several certificates may have the same name.</param>
/// <param name="Clearance">On the whole server.</param>
/// <param name="Rights">By database; the databases need not exist.</param>
/// <param name="Certificate">DER; ignored by an edit.</param>
internal sealed record NewCertificate(
    string Name,
    Clearance Clearance,
    IReadOnlyDictionary<string, DatabaseRight> Rights,
    ReadOnlyMemory<byte> Certificate
);

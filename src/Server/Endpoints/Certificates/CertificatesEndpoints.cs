using System.Text.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Certificates;

/// <summary>Making, uploading, editing, deleting and listing the certificates of clients. A server without certificates keeps its list
/// too, so that it can be prepared for the day that it listens to a network.</summary>
internal static class CertificatesEndpoints
{
    /// <summary>What the caller should know of an answer that by the protocol has no body.</summary>
    private const string NoticeHeader = "Jackdaw-Notice";

    /// <summary>Keys are made one at a time: each takes a processor for some tenths of a second.</summary>
    private static readonly SemaphoreSlim s_generating = new(1);

    public static void Map(Router router) =>
        router
            .Server("GET", "/admin/certificates", RequiredRight.Operator, Get)
            .Server("POST", "/admin/certificates", RequiredRight.Operator, Generate)
            .Server("PUT", "/admin/certificates", RequiredRight.Operator, Put)
            .Server("DELETE", "/admin/certificates", RequiredRight.Operator, Delete)
            .Server("POST", "/admin/certificates/edit", RequiredRight.Operator, Edit)
            .Server("GET", "/certificates/whoami", RequiredRight.Known, WhoAmI);

    private static Task Get(RequestContext request)
    {
        var store = request.Server.Certificates;
        var withBytes = !request.Query.Flag("metadataOnly");
        IEnumerable<StoredCertificate> found;
        if (request.Query["thumbprint"] is { Length: > 0 } thumbprint)
        {
            // By the protocol 404 says that there is none.
            if (store.Find(thumbprint) is not { } one)
                return request.SendEmptyAsync(StatusCodes.Status404NotFound);
            found = [one];
        }
        else
        {
            var start = request.Query.NonNegative("start", 0);
            var pageSize = request.Query.NonNegative("pageSize", int.MaxValue);
            found = store.List();
            if (request.Query["name"] is { Length: > 0 } name)
                found = found.Where(one => one.Name.Equals(name, StringComparison.OrdinalIgnoreCase));
            found = found.Skip((int)Math.Min(start, int.MaxValue)).Take((int)Math.Min(pageSize, int.MaxValue));
        }
        return SendAsync(request, store, found, withBytes);
    }

    private static async Task SendAsync(
        RequestContext request,
        CertificateStore store,
        IEnumerable<StoredCertificate> found,
        bool withBytes
    )
    {
        const int PieceBytes = 64 * 1024;
        var json = request.Json();
        json.WriteStartObject();
        json.WriteStartArray("Results");
        foreach (var one in found)
        {
            var bytes = withBytes ? store.Bytes(one) : null;
            // Deleted meanwhile.
            if (withBytes && bytes is null)
                continue;
            CertificateJson.Write(json, one, bytes);
            json.Flush();
            if (request.Response.Length >= PieceBytes)
                await request.FlushPieceAsync();
        }
        json.WriteEndArray();
        json.WriteString("LoadedServerCert", store.OwnThumbprint);
        json.WriteStartArray("WellKnownAdminCerts");
        foreach (var entry in store.WellKnown)
            json.WriteStringValue(entry);
        json.WriteEndArray();
        json.WriteEndObject();
        json.Flush();
        await request.EndPiecesAsync();
    }

    /// <summary>Answers with an archive of the files. A repeated request makes another certificate: the answer, with its key, is not
    /// kept for it.</summary>
    private static async Task Generate(RequestContext request)
    {
        var body = await ReadAsync(request);
        if (body.Certificate is not null)
            throw new BadRequestException("The body has a Certificate: POST makes one, and PUT stores one that there is.");
        var given = body.New();
        var store = request.Server.Certificates;
        // Before the work, and with the certificate once more by the store.
        store.RequireAcceptable(given, request.Access);
        var now = DateTimeOffset.UtcNow;
        var until = body.NotAfter ?? now.AddDays(GeneratedCertificate.DefaultValidityDays);
        GeneratedCertificate made;
        await s_generating.WaitAsync(request.Aborted);
        try
        {
            made = GeneratedCertificate.Make(given.Name, now, until, body.Password);
        }
        finally
        {
            s_generating.Release();
        }
        await store.PutAsync(given with { Certificate = made.Certificate }, request.Access);
        request.Response.Clear();
        request.Response.Write(made.Zip(given.Name));
        request.Http.Response.Headers.ContentDisposition = $"attachment; filename={GeneratedCertificate.FileName(given.Name)}.zip";
        // Not to be kept on the way: it holds a key.
        request.Http.Response.Headers.CacheControl = "no-store";
        await request.SendAsync(StatusCodes.Status201Created, "application/zip");
    }

    private static async Task Put(RequestContext request)
    {
        var body = await ReadAsync(request);
        var upload = CertificateUpload.FromText(body.Certificate ?? throw CertificateBody.Missing("Certificate"), body.Password);
        var given = body.New(upload.Certificate);
        await RunOnceAsync(request, "PUT", () => request.Server.Certificates.PutAsync(given, request.Access));
        if (upload.HadPrivateKey)
            request.Http.Response.Headers[NoticeHeader] =
                "The upload held a private key, which this server has thrown away. Upload the certificate alone next time.";
        await request.SendEmptyAsync(StatusCodes.Status201Created);
    }

    private static async Task Edit(RequestContext request)
    {
        var body = await ReadAsync(request);
        var thumbprint = body.Thumbprint ?? throw CertificateBody.Missing("Thumbprint");
        await RunOnceAsync(request, "POST", () => request.Server.Certificates.EditAsync(thumbprint, body.Edit.Of, request.Access));
        await request.SendEmptyAsync(StatusCodes.Status200OK);
    }

    private static async Task Delete(RequestContext request)
    {
        var thumbprint = request.Query.Required("thumbprint");
        await RunOnceAsync(request, "DELETE", () => request.Server.Certificates.DeleteAsync(thumbprint, request.Access));
        await request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }

    private static Task WhoAmI(RequestContext request)
    {
        var access = request.Access;
        return request.SendJsonAsync(json =>
        {
            if (request.Server.Certificates.Find(access.Thumbprint) is { } stored)
            {
                CertificateJson.Write(json, stored, bytes: null);
                return;
            }
            json.WriteStartObject();
            CertificateJson.WriteAccess(json, access);
            json.WriteEndObject();
        });
    }

    private static async Task<CertificateBody> ReadAsync(RequestContext request)
    {
        using var body = await RequestBody.ReadAsync(request);
        var parsed = CertificateBody.Parse(body.Bytes);
        request.AuditSubject = parsed.Thumbprint is null ? $"{parsed.Edit}" : $"{parsed.Thumbprint}: {parsed.Edit}";
        return parsed;
    }

    private static Task<StoredCertificate> RunOnceAsync(RequestContext request, string method, Func<Task<StoredCertificate>> change) =>
        request.Server.RepeatedRequests.RunOnceAsync(request.Query["raft-request-id"], $"{method} certificates", change);
}

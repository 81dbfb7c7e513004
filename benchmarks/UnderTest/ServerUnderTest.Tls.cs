using System.Security.Cryptography.X509Certificates;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.UnderTest;

/// <summary>The server over https. Its own certificate is an administrator's, so the load has the same one.</summary>
internal sealed partial class ServerUnderTest
{
    /// <summary>Starts the server over https on an empty folder and creates the database.</summary>
    /// <param name="dataDirectory">The data folder.</param>
    /// <param name="file">The server's certificate, a PFX file without a password.</param>
    /// <param name="certificate">The same, with its key.</param>
    /// <param name="cancel">Gives up.</param>
    public static async Task<ServerUnderTest> StartNewOverTlsAsync(
        string dataDirectory,
        string file,
        X509Certificate2 certificate,
        CancellationToken cancel
    )
    {
        var process = await ServerProcess.StartAsync(
            Repository.ServerAssembly,
            ["--ServerUrl=https://127.0.0.1:0", "--DataDir=" + dataDirectory, "--Security.Certificate.Path=" + file],
            ReadyLimit,
            cancel
        );
        var handler = new SocketsHttpHandler();
        handler.SslOptions.ClientCertificates = [certificate];
        handler.SslOptions.RemoteCertificateValidationCallback = (_, presented, _, _) =>
            presented?.GetRawCertDataString() == certificate.GetRawCertDataString();
        var server = new ServerUnderTest(process, handler);
        try
        {
            await server.CreateDatabaseAsync(cancel);
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }
}

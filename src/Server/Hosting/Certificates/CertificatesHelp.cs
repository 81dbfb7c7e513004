namespace Jackdaw.Server.Hosting.Certificates;

/// <summary>What <c>run certificates --help</c> prints.</summary>
internal static class CertificatesHelp
{
    private const string Text = """
        Certificates of clients: who may enter the server, and what for.

        usage: run certificates list [--json]
               run certificates show NAME|THUMBPRINT [--json]
               run certificates admin --name NAME [--out FILE] [--password PASSWORD|asked|none] [--days 365]
                                                      make an administrator's certificate
               run certificates client --name NAME [--database DB=RIGHT]... [--clearance CLEARANCE] [--out FILE]
                                       [--password PASSWORD|asked|none] [--days 365]
                                                      make an application's certificate
               run certificates add FILE [--name NAME] [--database DB=RIGHT]... [--clearance CLEARANCE] [--password PASSWORD|asked]
                                                      store a certificate that there is (DER, PEM or PFX); its key is not stored
               run certificates edit NAME|THUMBPRINT [--name NAME] [--database DB=RIGHT|DB=None]... [--clearance CLEARANCE]
               run certificates delete NAME|THUMBPRINT [--yes]

        RIGHT is Read, ReadWrite or Admin. CLEARANCE is ValidUser (only what --database says), Operator (every database) or ClusterAdmin
        (everything, certificates of administrators included).

        admin and client write FILE.pfx and FILE.pem, which only their owner can read, and overwrite nothing. The server keeps no copy of
        the key. A password in the command line can be seen by others on the machine: asked reads it from the terminal.

        Run this on the server's machine, as the server's user and with the server's settings (--config-path FILE, --DataDir=...). While the
        server is stopped the command writes to its data folder. While it runs the command asks it, with the server's own certificate
        (Security.Certificate.Path). From elsewhere: --url URL --certificate FILE [--certificate-password PASSWORD] [--server-pin PIN].
        """;

    public static int Print(TextWriter output)
    {
        output.WriteLine(Text);
        return CommandLine.Success;
    }
}

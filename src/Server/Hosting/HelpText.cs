using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting;

/// <summary>What <c>--help</c> prints: the commands, and every setting with its default.</summary>
internal static class HelpText
{
    private const string Usage = """
        Jackdaw, a durable JSON document server.

        usage: run [serve] [settings]                 serve (the default)
               run check [settings]                   verify a stopped server's data folder; 0 when it is whole
               run compact [settings]                 rewrite a stopped server's databases without their free space
               run copy DATABASE FOLDER [settings]    have the running server (at --url URL or ServerUrl) copy a database, while it works,
                                                      into a new data folder on its machine; the same as
                                                      POST /databases/DATABASE/admin/copy?to=FOLDER
               run etl status [DATABASE] [--json]     every task of the running server (at --url URL or ServerUrl): state, documents and
                                                      seconds behind, counts since its start, reasons
               run etl reset DATABASE TASK [TRANSFORM] [--yes]
                                                      begin anew: everything is sent again; ends a pause too
               run etl dead-letters list DATABASE [--task TASK] [--transform NAME] [--id ID] [--state Dead|Superseded] [--json]
               run etl dead-letters retry DATABASE --task TASK|--id ID|--all [--as-stored] [--json]
                                                      run the current script on the current documents and send what comes of it,
                                                      or send what was stored; 0 when all went well
               run etl dead-letters purge DATABASE --task TASK|--id ID|--all [--state Superseded] [--yes]
               run certificates list|show|admin|client|add|edit|delete
                                                      who may enter; run certificates --help tells more
               run queues list|show|redrive           poison messages and dead letters in Azure queues; run queues --help tells more
               run recover --accept-data-loss [settings]
                                                      open a damaged data folder at its last good record, saying what that gives up
               run adopt [settings]                   record the databases that a stopped server's data folder holds and no record names,
                                                      because the System folder was lost or an older one was brought back
               run new-history DATABASE|--all [settings]
                                                      a stopped server's data folder came from a snapshot, and the original goes on: give
                                                      one database, or all and the server, a new identity, so that the two servers do
                                                      not send twice or fence each other; ETL tasks are paused until they are started
               run --demo | deploy                    of this repository's ./run: everything on this machine with sample data, or on Azure;
                                                      ./run --demo --help and ./run deploy --help tell more
               run --help | --version

        copy and etl ask the running server, over https with a client certificate:
               --url URL                              where the server is; by default ServerUrl
               --certificate FILE [--certificate-key FILE] [--certificate-password PASSWORD]
                                                      a PFX or PEM file; by default the server's own certificate
                                                      (Security.Certificate.Path), which may do everything
               --server-pin PIN                       trust only the server whose certificate has this thumbprint, or whose public key has
                                                      this pin (pin:BASE64); by default the certificate of Security.Certificate.Path where
                                                      it can be read, else what this machine trusts

        Settings are taken from, the later one winning: the defaults; a JSON file (--config-path FILE); environment variables
        (JACKDAW_ServerUrl_Tcp for ServerUrl.Tcp); the command line (--Name=value or --Name value).

        A running server ends on SIGTERM, on Ctrl+C, and on the line "shutdown no-confirmation" on its standard input. The end of
        standard input ends it only when a parent process was named.

        Settings:
        """;

    public static int Print(TextWriter output)
    {
        output.WriteLine(Usage);
        foreach (var setting in KnownSettings.All)
        {
            output.WriteLine($"  --{setting.Name}={setting.Default ?? "(none)"}");
            output.WriteLine($"        {setting.Explanation}");
        }
        output.WriteLine("  --config-path=(none)");
        output.WriteLine("        A JSON file of settings, flat (\"ServerUrl.Tcp\": …) or nested.");
        return CommandLine.Success;
    }
}

using Jackdaw.Documents;
using Jackdaw.Etl;
using Jackdaw.Etl.HttpTargets;
using Jackdaw.Indexing.Processes;
using Jackdaw.Scripting;
using Jackdaw.Server.Alerts;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Endpoints;
using Jackdaw.Server.Endpoints.Changes;
using Jackdaw.Server.Endpoints.EventStreams.Live;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Http;
using Jackdaw.Server.Metrics;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Audit;
using Jackdaw.Server.Security.Certificates;
using Jackdaw.Server.Security.Tls;
using Jackdaw.Storage.Scratch;
using Microsoft.Extensions.Logging;

namespace Jackdaw.Server.Hosting;

/// <summary>The server's life: opens the databases, serves, prints the address, and closes everything in order when it is told to
/// stop.</summary>
internal static partial class ServerProcess
{
    /// <summary>The address is printed when every database is open; where that takes longer, it is printed after this time, and
    /// requests wait for their database.</summary>
    private static readonly TimeSpan s_shortStart = TimeSpan.FromSeconds(1);

    /// <summary>Runs until a reason to stop; returns the process's exit code.</summary>
    public static async Task<int> RunAsync(ServerConfiguration configuration)
    {
        foreach (var warning in configuration.Warnings)
            await Console.Error.WriteLineAsync($"Warning: {warning}");
        using var shutdown = ShutdownSignal.Listen(configuration, Console.In);
        var alerts = new ServerAlerts();
        using var certificate = ServerCertificate.Open(configuration, alerts);
        foreach (var alert in alerts.All)
            await Console.Error.WriteLineAsync($"{alert.Severity}: {alert.Message}");
        var wellKnown = WellKnownAdministrators.Parse(configuration.WellKnownAdminCertificates);
        if (wellKnown.Warning is { } weak)
            await Console.Error.WriteLineAsync($"Warning: {weak}");
        // Before the databases, so that it outlives the patches that they still execute.
        using var scripts = new ScriptEngine();
        var memory = configuration.Memory();
        using var scratch = new ScratchReserve(memory);
        using var trimmer = new MemoryTrimmer(scripts);
        using var metrics = new MemoryMetrics(memory, scripts);
        var failpoint = FailpointOf(configuration);
        var etl = EtlOptions(configuration, certificate, failpoint);
        var findings = new IndexFindings();
        using var indexing = new IndexProcesses(
            configuration.IndexingOptions(memory) with
            {
                Found = findings.Add,
                StepReached = failpoint is null ? null : failpoint.Reached,
            }
        );
        var changes = new ServerChanges();
        var live = new ServerLiveReads();
        await using var databases = Databases.Open(
            configuration.DatabasesOptions(memory, scratch) with
            {
                Opened = database =>
                {
                    // The first, as the first is ended first: its clients learn at once that the database is being closed.
                    database.Attach(live.Open(database));
                    database.Attach(EtlTasks.Open(database, scripts, etl));
                    var indexes = DatabaseIndexes.Open(database, indexing);
                    database.Attach(indexes);
                    database.Attach(changes.Open(database, indexes));
                },
                OpensInBackground = true,
            }
        );
        using var indexMetrics = new IndexMetrics(databases);
        using var expirationMetrics = new ExpirationMetrics(databases);
        using var certificates = new CertificateStore(databases.SystemRows(CertificateRow.Tree, CertificateRow.Format), wellKnown);
        if (certificate is not null)
        {
            certificate.Changed += certificates.SetOwn;
            certificates.SetOwn(certificate.Current);
        }
        using var expiry = new CertificateExpiry(certificates, alerts);
        using var state = new ServerState(configuration, databases, certificate is null ? null : certificates)
        {
            Certificates = certificates,
            Scripts = scripts,
            Etl = etl,
            Memory = memory,
            Indexing = indexing,
            Changes = changes,
            LiveReads = live,
            Alerts = alerts,
            Certificate = certificate,
        };
        state.ConnectChanges();
        // Ends after the server of HTTP, whose last requests it tells of.
        await using var audit = new AuditLog(configuration.AuditLogFolder, alerts);
        await using var http = new HttpServer(configuration, certificate, state.Gate);
        audit.LogTo(http.AuditLogger);
        using var connections = new ConnectionWatch(state.Gate, audit);
        // Not where the change is made, which others wait for.
        certificates.Changed += _ => ThreadPool.QueueUserWorkItem(_ => connections.Look());
        state.Audit = audit;
        findings.LogTo(finding => LogIndexFinding(http.Logger, finding));
        databases.Found = finding => LogFinding(http.Logger, finding);
        await using var running = new RunningOperations(http.Logger);
        state.Running = running;
        state.Dispatcher = new RequestDispatcher(state, Routes.All(), http.Logger);
        using var watch = Watch(certificate, http.Logger);
        await http.StartAsync(state.Dispatcher, state.SetUrl);
        var opened = TellWhenOpenedAsync(databases, state, http.Logger);
        await Task.WhenAny(opened, Task.Delay(s_shortStart));
        Console.WriteLine($"Server available on: {await state.Url}");
        await Console.Out.FlushAsync();
        var reason = await shutdown.Requested;
        await Console.Error.WriteLineAsync($"Shutting down because of {reason}.");
        await state.BeginEndingAsync();
        // Before the server that holds their connections: it would wait for them.
        await Task.WhenAll(changes.DisposeAsync().AsTask(), live.DisposeAsync().AsTask());
        return 0;
    }

    /// <summary>The server is ready, and what is damaged has been told, when each database has been opened once.</summary>
    private static async Task TellWhenOpenedAsync(Databases databases, ServerState state, ILogger logger)
    {
        await databases.AllOpened;
        foreach (var finding in databases.StartFindings)
            LogFinding(logger, finding);
        state.IsOpened = true;
    }

    private static FailpointKill? FailpointOf(ServerConfiguration configuration) =>
        FailpointKill.Parse(configuration.Failpoint, [.. Failpoint.All, .. Failpoint.Occasional, .. Failpoint.OfKafka, .. IndexStep.All]);

    private static EtlOptions EtlOptions(ServerConfiguration configuration, ServerCertificate? certificate, FailpointKill? failpoint)
    {
        return new EtlOptions
        {
            Secrets = new LentSecrets(configuration),
            Targets = new TargetAddresses(configuration.RefusesPrivateAddresses),
            Limits = EtlLimits.Default with { LongestAskedPause = configuration.MaxRetryAfter },
            ServerCertificate = () => certificate?.Current,
            PublicUrl = configuration.PublicServerUrl?.AbsoluteUri.TrimEnd('/'),
            FailpointReached = failpoint is null ? null : failpoint.Reached,
        };
    }

    [LoggerMessage(Level = LogLevel.Warning, Message = "{Finding}")]
    private static partial void LogIndexFinding(ILogger logger, string finding);

    [LoggerMessage(Level = LogLevel.Error, Message = "{Finding}")]
    private static partial void LogFinding(ILogger logger, string finding);

    [LoggerMessage(Level = LogLevel.Warning, Message = "{Finding}")]
    private static partial void LogCertificate(ILogger logger, string finding);

    /// <summary>Null without a certificate.</summary>
    private static CertificateWatch? Watch(ServerCertificate? certificate, ILogger logger)
    {
        if (certificate is null)
            return null;
        certificate.Told = finding => LogCertificate(logger, finding);
        return new CertificateWatch(certificate);
    }
}

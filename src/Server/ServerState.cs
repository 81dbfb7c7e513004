using Jackdaw.Documents;
using Jackdaw.Etl;
using Jackdaw.Indexing.Processes;
using Jackdaw.Scripting;
using Jackdaw.Server.Alerts;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Endpoints.Changes;
using Jackdaw.Server.Endpoints.EventStreams.Live;
using Jackdaw.Server.Endpoints.Monitoring;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Endpoints.Queries;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Audit;
using Jackdaw.Server.Security.Certificates;
using Jackdaw.Server.Security.Tls;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server;

/// <summary>What all requests share. Made once by the composition root.</summary>
internal sealed class ServerState : IDisposable
{
    private readonly CancellationTokenSource _ending = new();
    private ScriptTrials? _trials;
    private readonly StagingSpace _answers;
    private readonly TaskCompletionSource<string> _url = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ServerState(ServerConfiguration configuration, Databases databases, ICertificateIdentification? certificates)
    {
        Configuration = configuration;
        Databases = databases;
        Gate = new AccessGate(certificates, configuration.PublicServerUrl);
        LargeRequests = new SemaphoreSlim(configuration.MaxLargeRequests);
        StagingSpace = new StagingSpace(configuration.MaxStagedBodiesBytes, StagingFullException.OfBodies);
        _answers = new StagingSpace(configuration.MaxStagedAnswersBytes, StagingFullException.OfAnswers);
        StagingDirectory = configuration.RunInMemory ? DiskBackedTemporaryFolder() : Path.Combine(configuration.DataDirectory, "Temp");
        Queries = new RunningQueries(configuration.QueryTimeout, _ending.Token);
        StageAnswer = () => StagedFile.Create(StagingDirectory, _answers);
    }

    public ServerConfiguration Configuration { get; }

    public Databases Databases { get; }

    /// <summary>The one node of this server: capital letters, part of generated ids and change vectors.</summary>
    public string NodeTag { get; } = "A";

    /// <summary>The address that clients are told and that was printed: byte for byte the same. Known once the port is bound.</summary>
    public Task<string> Url => _url.Task;

    /// <summary>Made with the data folder.</summary>
    public Guid ServerId => Databases.ServerId;

    public DateTime StartedAt { get; } = DateTime.UtcNow;

    /// <summary>Each database has been opened and recovered once, or could not be.</summary>
    public bool IsOpened { get; set; }

    /// <summary>Cancelled when the shutdown begins: requests that wait for something end then.</summary>
    public CancellationToken Ending => _ending.Token;

    /// <summary>True from the moment that all databases were opened until shutdown begins.</summary>
    public bool IsReady => IsOpened && !_ending.IsCancellationRequested;

    /// <summary>Whether something of the server has stopped, for whoever asks.</summary>
    public Readiness Readiness { get; init; } = new();

    /// <summary>For requests that hold requests. Set by the composition root before anything is served.</summary>
    public RequestDispatcher Dispatcher
    {
        get => field ?? throw new InvalidOperationException("The dispatcher is not set yet.");
        set;
    }

    /// <summary>What the indexes of all databases share; null where none run.</summary>
    public IndexProcesses? Indexing { get; init; }

    public OperationRegistry Operations { get; } = new();

    /// <summary>Queries that are being answered, each with a time limit.</summary>
    public RunningQueries Queries { get; }

    /// <summary>Plans of queries that come again and again.</summary>
    public PlannedQueries PlannedQueries { get; } = new();

    /// <summary>The sockets on which clients are told of changes.</summary>
    public required ServerChanges Changes { get; init; }

    /// <summary>Reads of event streams that stay open.</summary>
    public required ServerLiveReads LiveReads { get; init; }

    /// <summary>Operations that run on after their answer. Set by the composition root before anything is served.</summary>
    public RunningOperations Running
    {
        get => field ?? throw new InvalidOperationException("Operations cannot run yet.");
        set;
    }

    /// <summary>What an operator should look at in the server as a whole.</summary>
    public ServerAlerts Alerts { get; init; } = new();

    /// <summary>The server's certificate; null for plain http on this machine alone.</summary>
    public ServerCertificate? Certificate { get; init; }

    /// <summary>Where patches are compiled and run.</summary>
    public required ScriptEngine Scripts { get; init; }

    /// <summary>What the tasks of all databases have in common.</summary>
    public required EtlOptions Etl { get; init; }

    /// <summary>Trials of transform scripts.</summary>
    public ScriptTrials Trials => LazyInitializer.EnsureInitialized(ref _trials, () => new ScriptTrials(Scripts, Etl));

    /// <summary>What scratch, waiting operations and indexes of all databases may take together.</summary>
    public MemoryAllowance Memory { get; init; } = MemoryAllowance.Unlimited;

    public RepeatedRequests RepeatedRequests { get; } = new();

    /// <summary>
    /// Bounds how many requests that take longer than one read transaction read at once: half of the processors, so that scans take
    /// neither all threads of the pool nor all processors from the requests that are short.
    /// </summary>
    public SemaphoreSlim ScanTurns { get; } = new(Math.Max(1, Environment.ProcessorCount / 2));

    /// <summary>Bounds how many large bodies are in the works at once.</summary>
    public SemaphoreSlim LargeRequests { get; }

    /// <summary>Where large request bodies and answers are staged; on the data's own disk, for /tmp may be memory.</summary>
    public string StagingDirectory { get; }

    /// <summary>Bounds what they take there together.</summary>
    public StagingSpace StagingSpace { get; }

    /// <summary>Makes the file for what an answer does not hold in memory.</summary>
    public Func<StagedFile> StageAnswer { get; }

    /// <summary>Bytes of answers that lie in such files now.</summary>
    public long AnswerStagingBytes => _answers.TakenBytes;

    /// <summary>The certificates of clients; also those of a server that asks for none yet.</summary>
    public required CertificateStore Certificates { get; init; }

    /// <summary>Tells who administers and who is refused; null where nobody reads it.</summary>
    public AuditLog? Audit { get; set; }

    /// <summary>Decides who may send which request.</summary>
    public AccessGate Gate { get; }

    /// <summary>Joins the sockets and live reads of clients with what they tell: states of operations, and why a database was
    /// closed.</summary>
    public void ConnectChanges()
    {
        Operations.Changed = Changes.TellOperation;
        Changes.StateOf = (database, id) => Operations.Find(id, database)?.State;
        LiveReads.WhyEnded = WhyEnded;
        Changes.WhyClosed = name =>
            Databases.Record(name) switch
            {
                null => $"The database '{name}' was deleted.",
                { Disabled: true } => $"The database '{name}' was disabled.",
                _ => $"The database '{name}' was closed.",
            };
    }

    /// <summary>The shutdown begins.</summary>
    public Task BeginEndingAsync() => _ending.CancelAsync();

    public void SetUrl(string url) => _url.SetResult(url);

    /// <summary>Says why the live reads of a database end.</summary>
    private LiveEnd WhyEnded(string name) =>
        Databases.Record(name) switch
        {
            null => new LiveEnd("DatabaseDeleted", $"The database '{name}' was deleted."),
            { Disabled: true } => new LiveEnd("DatabaseDisabled", $"The database '{name}' was disabled."),
            _ => new LiveEnd("DatabaseClosed", $"The database '{name}' was closed."),
        };

    /// <summary>/tmp is memory on many systems, and large bodies are staged so as not to be in memory; what is in /var/tmp
    /// outlives a restart of the machine.</summary>
    private static string DiskBackedTemporaryFolder()
    {
        const string OutlivesRestarts = "/var/tmp";
        return Directory.Exists(OutlivesRestarts) ? OutlivesRestarts : Path.GetTempPath();
    }

    public void Dispose()
    {
        _ending.Dispose();
        LargeRequests.Dispose();
        PlannedQueries.Dispose();
        ScanTurns.Dispose();
    }
}

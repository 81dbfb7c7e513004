using System.Collections;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Etl;
using Jackdaw.Indexing;
using Jackdaw.Indexing.Processes;
using Jackdaw.Scripting;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Endpoints;
using Jackdaw.Server.Endpoints.Changes;
using Jackdaw.Server.Endpoints.EventStreams.Live;
using Jackdaw.Server.Endpoints.Monitoring;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;
using Jackdaw.Storage;
using Jackdaw.Storage.Memory;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging.Abstractions;

namespace Jackdaw.Server.Tests.Serving;

/// <summary>All of the server but its network: requests go to the dispatcher, and answers to streams of the test's.</summary>
internal sealed class ServerScene : IAsyncDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-serving-").FullName;
    private readonly ScriptEngine _scripts = new();
    private readonly ServerChanges _changes;
    private readonly ServerLiveReads _live;
    private readonly IndexProcesses _indexing;
    private readonly Databases _databases;
    private readonly ServerState _state;

    private ServerScene(
        Limits limits,
        EnvironmentOptions? storage,
        ChangesLimits? changes,
        LiveReadLimits? live,
        Func<IndexingOptions, IndexingOptions>? indexing,
        ICertificateIdentification? certificates,
        bool asksForCertificates,
        TimeProvider? readinessClock,
        string[] settings
    )
    {
        _live = new ServerLiveReads(live, LiveClock);
        _changes = new ServerChanges(changes);
        var configuration = ServerConfiguration.Read(["--RunInMemory=true", $"--DataDir={_folder}", .. settings], new Hashtable()) with
        {
            Limits = limits,
        };
        if (storage is not null)
            configuration = configuration with { Storage = storage };
        var etl = new EtlOptions { Clock = Clock, Secrets = new LentSecrets(configuration) };
        var indexingOptions = configuration.IndexingOptions(MemoryAllowance.Unlimited);
        _indexing = new IndexProcesses(indexing?.Invoke(indexingOptions) ?? indexingOptions);
        _databases = Databases.Open(
            configuration.DatabasesOptions() with
            {
                Clock = Clock,
                Opened = database =>
                {
                    database.Attach(_live.Open(database));
                    database.Attach(EtlTasks.Open(database, _scripts, etl));
                    var indexes = DatabaseIndexes.Open(database, _indexing);
                    database.Attach(indexes);
                    database.Attach(_changes.Open(database, indexes));
                },
            }
        );
        Certificates = new CertificateStore(
            _databases.SystemRows(CertificateRow.Tree, CertificateRow.Format),
            WellKnownAdministrators.Parse(configuration.WellKnownAdminCertificates)
        );
        _state = new ServerState(configuration, _databases, asksForCertificates ? Certificates : certificates)
        {
            Certificates = Certificates,
            Scripts = _scripts,
            Etl = etl,
            Changes = _changes,
            LiveReads = _live,
            Indexing = _indexing,
            Readiness = new Readiness(readinessClock),
        };
        _state.ConnectChanges();
        _state.Running = new RunningOperations(NullLogger.Instance);
        _state.Dispatcher = new RequestDispatcher(_state, Routes.All(), NullLogger.Instance);
    }

    public SteppingClock Clock { get; } = new();

    /// <summary>The server's list of certificates. It decides who may enter where the scene was opened so.</summary>
    public CertificateStore Certificates { get; }

    /// <summary>Measures the heartbeats of live reads, which come when <see cref="ServerLiveReads.Beat"/> is called.</summary>
    public ManualClock LiveClock { get; } = new();

    public Database Database { get; private set; } = null!;

    public ServerState State => _state;

    /// <summary>They run by the system's clock.</summary>
    public DatabaseIndexes Indexes => Database.Attached<DatabaseIndexes>()!;

    public static async Task<ServerScene> OpenAsync(
        Limits? limits = null,
        EnvironmentOptions? storage = null,
        ChangesLimits? changes = null,
        LiveReadLimits? live = null,
        Func<IndexingOptions, IndexingOptions>? indexing = null,
        ICertificateIdentification? certificates = null,
        bool asksForCertificates = false,
        TimeProvider? readinessClock = null,
        params string[] settings
    )
    {
        var scene = new ServerScene(
            limits ?? Limits.Default,
            storage,
            changes,
            live,
            indexing,
            certificates,
            asksForCertificates,
            readinessClock,
            settings
        );
        await scene._databases.CreateAsync("db", default);
        scene.Database = scene._databases.Get("db");
        return scene;
    }

    /// <summary>Pauses indexes, those of the database or one of them. A turn that was running has ended then: they see nothing that is
    /// stored from now on.</summary>
    public async Task PauseIndexesAsync(string? name = null)
    {
        if (name is null)
            Indexes.Pause();
        else
            Assert.True(Indexes.Pause(name));
        foreach (var index in Indexes.All.Where(index => index.IsPaused))
        {
            await index.Turn.HoldAsync();
            index.Turn.Release();
        }
    }

    /// <summary>Stores documents, a thousand a transaction.</summary>
    public async Task PutAsync(IEnumerable<(string Id, string Json)> documents)
    {
        foreach (var some in documents.Chunk(1000))
        {
            var batch = BatchOperation.Rent();
            foreach (var (id, json) in some)
            {
                var put = batch.AddPut();
                put.SetId(id);
                put.SetDocument(Encoding.UTF8.GetBytes(json), Database.Limits);
            }
            await Database.SubmitAsync(batch);
            batch.Return();
        }
    }

    public async Task DeleteAsync(string id)
    {
        var batch = BatchOperation.Rent();
        batch.AddDelete().SetId(id);
        await Database.SubmitAsync(batch);
        batch.Return();
    }

    /// <summary>Sends a request to the database's endpoints; gives its status, headers and whether it ended of itself.</summary>
    public Task<ServedAnswer> SendAsync(
        string method,
        string path,
        string query = "",
        string body = "",
        Stream? answer = null,
        IReadOnlyDictionary<string, string>? headers = null,
        Stream? upload = null,
        CancellationToken gone = default
    ) => RequestAsync(method, "/databases/db" + path, query, body, answer, headers, upload, null, null, gone);

    /// <summary>Sends a request to any path, with the client's certificate where one is given.</summary>
    public async Task<ServedAnswer> RequestAsync(
        string method,
        string path,
        string query = "",
        string body = "",
        Stream? answer = null,
        IReadOnlyDictionary<string, string>? headers = null,
        Stream? upload = null,
        X509Certificate2? certificate = null,
        IConnectionLifetimeFeature? connection = null,
        CancellationToken gone = default
    )
    {
        answer ??= new AnswerStream(keeps: true);
        var lifetime = new ClientLifetime(gone);
        var features = new FeatureCollection();
        features.Set<IHttpRequestFeature>(
            new HttpRequestFeature
            {
                Method = method,
                Path = path,
                QueryString = query,
                Body = upload ?? new MemoryStream(Encoding.UTF8.GetBytes(body)),
                Protocol = "HTTP/1.1",
                Scheme = "http",
            }
        );
        features.Set<IHttpResponseFeature>(new StartedResponse());
        features.Set<IHttpResponseBodyFeature>(new StreamResponseBodyFeature(answer));
        features.Set<IHttpRequestLifetimeFeature>(lifetime);
        if (certificate is not null)
            features.Set<ITlsConnectionFeature>(new TlsConnectionFeature { ClientCertificate = certificate });
        if (connection is not null)
            features.Set(connection);
        var context = _state.Dispatcher.CreateContext(features);
        try
        {
            context.Request.Headers.Host = "localhost";
            foreach (var (name, value) in headers ?? new Dictionary<string, string>())
                context.Request.Headers[name] = value;
            await _state.Dispatcher.ProcessRequestAsync(context);
            if (!gone.IsCancellationRequested)
                await context.Http.Response.BodyWriter.CompleteAsync();
            var answered = context.Http.Response.Headers.ToDictionary(h => h.Key, h => h.Value.ToString());
            var text = answer is AnswerStream stream ? Encoding.UTF8.GetString(stream.Kept) : "";
            return new ServedAnswer(context.Http.Response.StatusCode, answered, text, lifetime.WasAborted);
        }
        finally
        {
            _state.Dispatcher.DisposeContext(context, null);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _changes.DisposeAsync();
        await _live.DisposeAsync();
        await _state.Running.DisposeAsync();
        _state.Dispose();
        await _databases.DisposeAsync();
        _indexing.Dispose();
        _scripts.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private sealed class ClientLifetime(CancellationToken gone) : IHttpRequestLifetimeFeature
    {
        public bool WasAborted { get; private set; }

        public CancellationToken RequestAborted { get; set; } = gone;

        public void Abort() => WasAborted = true;
    }

    /// <summary>Has started as soon as headers could have gone out; the stream tells, so false is enough here.</summary>
    private sealed class StartedResponse : HttpResponseFeature;
}

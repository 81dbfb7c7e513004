using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.EtlBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.UnderTest;
using Jackdaw.FunctionHost;

namespace Jackdaw.Bench.CloudBenchmarks;

/// <summary>The server with a task of orders, and the function app under the stand-in for the Functions host, whether the real one is
/// installed or not.</summary>
internal abstract class CloudContender(SharedAzurite azurite) : ServerContender(StandIn)
{
    /// <summary>The row's title.</summary>
    public const string StandIn = "jackdaw, functions under the stand-in host";

    /// <summary>The queue or topic.</summary>
    protected const string Queue = "orders";

    /// <summary>The database that functions write to.</summary>
    protected const string ReadModel = "views";

    private FunctionHostProcess? _host;
    private bool _isStarted;

    protected FunctionHostProcess Host => _host ?? throw new InvalidOperationException("the function host was not started");

    /// <summary>Starts a server with both databases, and the storage account that functions need in any case.</summary>
    protected async Task StartWithReadModelAsync(RunContext context, CancellationToken cancel)
    {
        if (!Directory.Exists(Repository.FunctionApp))
            throw new ContenderUnavailableException($"{Repository.FunctionApp} is not built");
        await StartNewAsync(context, cancel);
        await Server.CreateDatabaseAsync(ReadModel, cancel);
        await azurite.StartAsync();
        _isStarted = true;
    }

    /// <summary>Starts the one function over orders with this ending.</summary>
    protected async Task StartFunctionAsync(string ending, string name, string value, HostOptions options)
    {
        var settings = new Dictionary<string, string>
        {
            ["Queues"] = azurite.ConnectionString,
            ["OrdersQueue"] = Queue,
            ["AccountsQueue"] = "accounts",
            ["DeadLetterQueue"] = "dead-letters",
            ["Jackdaw__Url"] = Server.Url,
            ["Jackdaw__SourceDatabase"] = ServerUnderTest.Database,
            ["Jackdaw__ReadModelDatabase"] = ReadModel,
            [name] = value,
        };
        foreach (string one in (string[])["FromQueue", "FromKafka", "FromRabbitMq", "FromEventHubs"])
        {
            settings[$"AzureWebJobs_Accounts{one}_Disabled"] = "true";
            settings[$"AzureWebJobs_Orders{one}_Disabled"] = one == ending ? "false" : "true";
        }
        _host = await FunctionHostProcess.StartStandInAsync(Repository.FunctionApp, settings, options);
    }

    public override async Task CloseAsync()
    {
        if (_host is not null)
            await _host.DisposeAsync();
        _host = null;
        await base.CloseAsync();
        if (_isStarted)
            await azurite.LetGoAsync();
        _isStarted = false;
    }
}

using System.Security.Cryptography;

namespace Jackdaw.Brokers;

/// <summary>Azurite, from npm: Azure Queue and Blob Storage over plain HTTP, with an account of its own. Ready in about a second.</summary>
public sealed class AzuriteBroker : Broker
{
    /// <summary>The account of every emulator that is not told otherwise. It is documented, and no secret.</summary>
    public const string EmulatorAccountName = "devstoreaccount1";

    /// <summary>Of <see cref="EmulatorAccountName"/>, in Base64.</summary>
    public const string EmulatorAccountKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private static readonly HttpClient Client = new() { Timeout = TimeSpan.FromSeconds(30) };

    private readonly int _tablePort = LoopbackPort.Find();

    private AzuriteBroker(string? folder = null)
        : base(BrokerKind.Azurite, folder)
    {
        if (folder is not null)
            (AccountName, AccountKey) = (EmulatorAccountName, EmulatorAccountKey);
    }

    /// <summary>Of the Queue service.</summary>
    public int QueuePort { get; } = LoopbackPort.Find();

    /// <summary>Of the Blob service.</summary>
    public int BlobPort { get; } = LoopbackPort.Find();

    /// <summary>The only account.</summary>
    public string AccountName { get; } = "jackdaw";

    /// <summary>Base64, as clients take it.</summary>
    public string AccountKey { get; } = Convert.ToBase64String(RandomNumberGenerator.GetBytes(64));

    /// <summary>For both services.</summary>
    public string ConnectionString => ConnectionStringOver(QueuePort, BlobPort);

    internal static string Program { get; } =
        Path.Combine(Checkout.Root, "tests", "Brokers", "node", "node_modules", "azurite", "dist", "src", "azurite.js");

    /// <summary>Starts one and waits until both services answer.</summary>
    /// <exception cref="BrokerFailedException">It is not installed or did not start.</exception>
    public static Task<AzuriteBroker> StartAsync() => StartedAsync(new AzuriteBroker());

    /// <summary>Starts one on a folder that outlives it, with the emulator's usual account.</summary>
    /// <exception cref="BrokerFailedException">It is not installed or did not start.</exception>
    public static Task<AzuriteBroker> StartAsync(string folder) => StartedAsync(new AzuriteBroker(folder));

    /// <summary>A connection string by way of other ports of 127.0.0.1, such as a <see cref="CuttingProxy"/>'s.</summary>
    public string ConnectionStringOver(int queuePort, int blobPort) =>
        $"DefaultEndpointsProtocol=http;AccountName={AccountName};AccountKey={AccountKey};"
        + $"QueueEndpoint=http://127.0.0.1:{queuePort}/{AccountName};BlobEndpoint=http://127.0.0.1:{blobPort}/{AccountName};";

    private protected override BrokerCommand Command() =>
        new(
            "node",
            [
                Program,
                "--silent",
                "--disableTelemetry",
                "--location",
                Folder,
                "--queueHost",
                "127.0.0.1",
                "--queuePort",
                $"{QueuePort}",
                "--blobHost",
                "127.0.0.1",
                "--blobPort",
                $"{BlobPort}",
                "--tableHost",
                "127.0.0.1",
                "--tablePort",
                $"{_tablePort}",
            ],
            new Dictionary<string, string> { ["AZURITE_ACCOUNTS"] = $"{AccountName}:{AccountKey}" }
        );

    private protected override async Task<bool> IsReadyAsync() => await AnswersAsync(QueuePort) && await AnswersAsync(BlobPort);

    /// <summary>Whether there is any answer, which without a signature is a refusal.</summary>
    private static async Task<bool> AnswersAsync(int port)
    {
        try
        {
            using var answer = await Client.GetAsync(new Uri($"http://127.0.0.1:{port}/"));
            return true;
        }
        catch (Exception e) when (e is HttpRequestException or TaskCanceledException)
        {
            return false;
        }
    }
}

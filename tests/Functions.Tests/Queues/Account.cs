using Azure.Storage.Blobs;
using Azure.Storage.Queues;
using Azure.Storage.Queues.Models;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Functions.Tests.Queues;

/// <summary>A storage account in Azurite, one for a class of tests; each test takes queues of its own names.</summary>
public sealed class Account : IAsyncLifetime
{
    private AzuriteBroker? _azurite;

    /// <summary>Where it is.</summary>
    public string ConnectionString => Azurite.ConnectionString;

    internal AzuriteBroker Azurite => _azurite ?? throw new InvalidOperationException("There is no Azurite here.");

    internal BlobServiceClient Blobs => new(ConnectionString);

    /// <inheritdoc/>
    public async Task InitializeAsync()
    {
        if (BrokerAvailability.WhyNot(BrokerKind.Azurite) is null || BrokerAvailability.AreRequired)
            _azurite = await AzuriteBroker.StartAsync();
    }

    /// <inheritdoc/>
    public async Task DisposeAsync()
    {
        if (_azurite is not null)
            await _azurite.DisposeAsync();
    }

    /// <summary>Makes a queue and puts texts into it, as they are.</summary>
    internal async Task<QueueClient> QueueAsync(string name, params string[] texts)
    {
        var queue = new QueueClient(ConnectionString, name);
        await queue.CreateAsync();
        foreach (var text in texts)
            await queue.SendMessageAsync(text, TimeSpan.Zero, TimeSpan.FromSeconds(-1));
        return queue;
    }

    /// <summary>The texts of all messages that can be seen now, which are removed.</summary>
    internal static async Task<List<string>> DrainAsync(QueueClient queue)
    {
        var texts = new List<string>();
        while ((await queue.ReceiveMessagesAsync(32)).Value is { Length: > 0 } page)
            foreach (var message in page)
            {
                texts.Add(message.MessageText);
                await queue.DeleteMessageAsync(message.MessageId, message.PopReceipt);
            }
        return texts;
    }

    internal static async Task<int> CountAsync(QueueClient queue) =>
        (await queue.GetPropertiesAsync()).Value is QueueProperties properties ? properties.ApproximateMessagesCount : 0;

    /// <summary>Runs <c>run queues …</c> and waits for its end.</summary>
    internal async Task<(int ExitCode, string Output, string Errors)> RunAsync(params string[] words)
    {
        await using var command = Launch(ConnectionString, words);
        var code = await command.WaitForExitAsync();
        return (code, command.Output, command.Errors);
    }

    /// <summary>Starts <c>run queues …</c>.</summary>
    internal static ServerUnderTest Launch(string? connectionString, params string[] words) =>
        ServerUnderTest.Launch(
            null,
            ["queues", .. words, "--no-defaults"],
            connectionString is null ? null : new Dictionary<string, string> { ["AZURE_STORAGE_CONNECTION_STRING"] = connectionString }
        );
}

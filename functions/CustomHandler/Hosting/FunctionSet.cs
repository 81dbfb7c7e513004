using Jackdaw.Functions.CustomHandler.Configuration;
using Jackdaw.Functions.CustomHandler.Connecting;
using Jackdaw.Functions.CustomHandler.Invoking;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Documents;
using Jackdaw.Functions.Handlers.Samples;
using Jackdaw.Functions.Handlers.Storing;
using Jackdaw.Functions.Handlers.Streams;

namespace Jackdaw.Functions.CustomHandler.Hosting;

/// <summary>All functions of the app.</summary>
internal static class FunctionSet
{
    /// <summary>Opens one consumer for each kind of message, however many transports bring it. Throws
    /// <see cref="SettingException"/>.</summary>
    /// <param name="settings">The server, its databases and the queues.</param>
    /// <param name="add">Adds further functions; null: none.</param>
    public static IReadOnlyList<Function> Open(AppSettings settings, Action<OwnFunctions>? add = null)
    {
        var server = ServerConnection.Open(settings);
        var source = new JackdawDatabase(server, settings.SourceDatabase);
        var readModel = new JackdawDatabase(server, settings.ReadModelDatabase);
        var history = new SourceHistory(source, TimeProvider.System);
        var own = new OwnFunctions(source, readModel, history);
        add?.Invoke(own);
        return
        [
            .. OfEachTransport("Orders", settings.OrdersQueue, new DocumentConsumer(new OrderSummaries(version: 1), readModel, history)),
            .. OfEachTransport(
                "Accounts",
                settings.AccountsQueue,
                new StreamConsumer(new AccountBalances(version: 1), readModel, source, history)
            ),
            .. own.All,
        ];
    }

    private static IEnumerable<Function> OfEachTransport(string what, string queue, IMessageConsumer consumer) =>
        [
            new($"{what}FromQueue", "message", IsBatch: false, queue, consumer),
            new($"{what}FromKafka", "messages", IsBatch: true, queue, consumer),
            new($"{what}FromRabbitMq", "message", IsBatch: false, queue, consumer),
            new($"{what}FromEventHubs", "messages", IsBatch: true, queue, consumer),
        ];
}

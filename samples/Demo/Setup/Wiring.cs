using Jackdaw.Functions.Handlers.Consuming;

namespace Jackdaw.Demo.Setup;

/// <summary>The databases, and the tasks that send what is saved there. Everything may be there already.</summary>
internal static class Wiring
{
    private const string Queues = "queues";
    private const string Outside = "outside";

    public static async Task ConnectAsync(JackdawServer server, string storage, Uri outside)
    {
        await server.CreateDatabaseAsync(Names.Source);
        await server.CreateDatabaseAsync(Names.ReadModel);
        await server.ConnectAsync(
            Names.Source,
            new
            {
                Name = Queues,
                Sink = "AzureQueueStorage",
                AzureQueueStorageConnectionSettings = new { ConnectionString = storage, ClaimCheckContainer = "claim-checks" },
            }
        );
        await server.ConnectAsync(
            Names.ReadModel,
            new
            {
                Name = Outside,
                Sink = "Webhook",
                WebhookConnectionSettings = new { Url = outside.ToString() },
            }
        );
        // Deletions, too: the document of a deleted order leaves the read model.
        await PutTaskAsync(server, Names.Source, Names.Orders, "AzureQueueStorage", Queues, "Orders", "loadToOrders(this);", deletes: true);
        // A message only wakes the function, which reads the stream itself.
        await PutTaskAsync(
            server,
            Names.Source,
            Names.Accounts,
            "AzureQueueStorage",
            Queues,
            "@events",
            "loadToAccounts({ number: this.number });",
            deletes: false
        );
        await PutTaskAsync(server, Names.ReadModel, "outbox", "Webhook", Outside, Effect.Collection, Effect.Script, deletes: false);
    }

    private static Task PutTaskAsync(
        JackdawServer server,
        string database,
        string name,
        string sink,
        string connection,
        string collection,
        string script,
        bool deletes
    ) =>
        server.PutTaskAsync(
            database,
            name,
            new
            {
                Name = name,
                Sink = sink,
                ConnectionStringName = connection,
                Transforms = new[]
                {
                    new
                    {
                        Name = name,
                        Collections = new[] { collection },
                        Script = script,
                        PublishDeletes = deletes,
                    },
                },
            }
        );
}

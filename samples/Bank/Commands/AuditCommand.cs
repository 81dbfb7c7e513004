using Akka.Actor;
using Akka.Persistence.Jackdaw.Query;
using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Dsl;
using Bank.Projection;

namespace Bank.Commands;

/// <summary>Counts the money in the journal, and compares it with what the projection holds. Starts no account and changes nothing.</summary>
internal sealed class AuditCommand(string url)
{
    public async Task<int> RunAsync()
    {
        var builder = Host.CreateApplicationBuilder();
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddBank(url);
        using var host = builder.Build();
        await host.StartAsync();
        var system = host.Services.GetRequiredService<ActorSystem>();
        var books = new Books();
        using (var materializer = system.Materializer())
            await system
                .ReadJournalFor<JackdawReadJournal>(JackdawReadJournal.Identifier)
                .CurrentAllEvents(Offset.NoOffset())
                .RunForeach(books.Enter, materializer);
        var isBalanced = books.Print();
        using var client = new BankDatabase(url);
        PrintProjection(await client.BalancesAsync(), books);
        await host.StopAsync();
        return isBalanced ? 0 : 1;
    }

    private static void PrintProjection(IReadOnlyDictionary<string, long> projected, Books books)
    {
        var different = books.Balances.Count(account => projected.GetValueOrDefault(account.Key) != account.Value);
        Console.WriteLine(
            projected.Count == 0 ? "The projection holds nothing yet."
            : different == 0 ? $"The projection holds the same balance for each of {projected.Count} accounts."
            : $"The projection differs in {different} accounts: it is behind, or it has not read them yet."
        );
    }
}

using Akka.Actor;
using Akka.Hosting;
using Bank.Accounts;
using Bank.Entities;
using Bank.Transfers;

namespace Bank.Commands;

/// <summary>Makes transfers until all of them have ended. Started again after a crash it goes on: a transfer that has ended says so.</summary>
internal sealed class DriveCommand(string url, int transfers)
{
    /// <summary>How many accounts there are.</summary>
    public const int Accounts = 100;

    /// <summary>What each is opened with, in cents.</summary>
    public const long Opening = 1_000_00;

    private const int AtOnce = 100;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private int _ended;
    private int _refused;

    public async Task<int> RunAsync()
    {
        var builder = Host.CreateApplicationBuilder();
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddBank(url);
        using var host = builder.Build();
        await host.StartAsync();
        var registry = host.Services.GetRequiredService<ActorRegistry>();

        await OpenAsync(registry.Get<Account>());
        await using (new Timer(_ => Report(), null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1)))
            await TransferAsync(registry.Get<Transfer>());
        Console.WriteLine($"{transfers:N0} transfers have ended; {_refused:N0} were refused for want of money.");
        await host.StopAsync();
        return 0;
    }

    private static Task<Balance[]> OpenAsync(IActorRef accounts) =>
        Task.WhenAll(Enumerable.Range(0, Accounts).Select(i => AskAsync<Balance>(accounts, $"account-{i}", new Open(Opening))));

    private Task TransferAsync(IActorRef group) =>
        Parallel.ForEachAsync(
            Enumerable.Range(0, transfers),
            new ParallelOptions { MaxDegreeOfParallelism = AtOnce },
            async (number, _) =>
            {
                var outcome = await AskAsync<TransferEnded>(group, $"transfer-{number}", Draw(number));
                Interlocked.Increment(ref _ended);
                if (outcome.IsRefused)
                    Interlocked.Increment(ref _refused);
            }
        );

    /// <summary>Asks again until there is an answer: the actor may have stopped, and be about to start again.</summary>
    private static async Task<T> AskAsync<T>(IActorRef group, string id, object question)
    {
        while (true)
            try
            {
                return await group.Ask<T>(new ToEntity(id, question), Patience);
            }
            catch (AskTimeoutException) { }
    }

    /// <summary>The same transfer in each run.</summary>
    private static Begin Draw(int number)
    {
        var random = new Random(number);
        var from = random.Next(Accounts);
        var to = (from + 1 + random.Next(Accounts - 1)) % Accounts;
        return new Begin($"account-{from}", $"account-{to}", random.Next(1, 500_00));
    }

    private void Report() => Console.WriteLine($"{Volatile.Read(ref _ended):N0} of {transfers:N0} transfers have ended");
}

using System.Diagnostics;
using Akka.Persistence;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>A server that stands still for longer than the circuit breaker waits.</summary>
[Trait("Category", "Slow")]
public sealed class CircuitBreakerTests
{
    private const int Actors = 10;

    private const string Impatient = """
        akka.persistence.journal.jackdaw.repeat-for = 1s
        akka.persistence.journal.jackdaw.circuit-breaker.max-failures = 3
        akka.persistence.journal.jackdaw.circuit-breaker.call-timeout = 2s
        akka.persistence.journal.jackdaw.circuit-breaker.reset-timeout = 1s
        """;

    [Fact]
    public async Task Actors_go_on_without_a_loss_after_the_circuit_breaker_was_open()
    {
        await using var server = await FaultyServer.StartAsync();
        await using var host = new ActorHost(PluginConfig.For(server.Url, FaultyServer.Database, Impatient));
        InsistentWriter[] writers = [.. Enumerable.Range(0, Actors).Select(i => new InsistentWriter(host.SupervisedRecorder($"{i}")))];
        await Task.WhenAll(writers.Select(writer => writer.WriteAsync(3)));

        await SignalAsync("-STOP", server.ProcessId);
        Task[] writing = [.. writers.Select(writer => writer.WriteAsync(3))];
        try
        {
            await Eventually.IsAsync(async () => await StatusAsync(host) != PersistenceHealthStatus.Healthy);
        }
        finally
        {
            await SignalAsync("-CONT", server.ProcessId);
        }
        await Task.WhenAll(writing);
        await Eventually.IsAsync(async () => await StatusAsync(host) == PersistenceHealthStatus.Healthy);

        await using var afterwards = new ActorHost(PluginConfig.For(server.DirectUrl, FaultyServer.Database));
        for (var i = 0; i < Actors; i++)
            writers[i].Verify(await afterwards.RecoverAsync($"{i}"));
    }

    private static async Task<PersistenceHealthStatus> StatusAsync(ActorHost host)
    {
        var result = await Persistence.Instance.Apply(host.System).CheckJournalHealthAsync("akka.persistence.journal.jackdaw", default);
        return result.Status;
    }

    private static async Task SignalAsync(string signal, int processId)
    {
        using var kill = Process.Start("kill", [signal, $"{processId}"]);
        await kill.WaitForExitAsync();
    }
}

using System.Diagnostics;

namespace Jackdaw.Brokers.Tests;

public sealed class BrokerProcessTests
{
    [Fact]
    public async Task A_broker_that_does_not_start_is_reported_with_what_it_said()
    {
        await using var process = BrokerProcess.Start(Script("echo 'no such luck' >&2; exit 3"), Path.GetTempPath());
        var failure = await Assert.ThrowsAsync<BrokerFailedException>(() =>
            process.WaitAsync("It", () => Task.FromResult(false), Eventually.Patience)
        );
        Assert.Contains("ended with code 3", failure.Message, StringComparison.Ordinal);
        Assert.Contains("no such luck", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_broker_and_what_it_started_end_with_the_process_of_the_tests()
    {
        await using var process = BrokerProcess.Start(Script("sleep 1000 & echo started $!; wait"), Path.GetTempPath());
        await process.WaitAsync(
            "It",
            () => Task.FromResult(process.Output.Contains("started", StringComparison.Ordinal)),
            Eventually.Patience
        );
        using var child = Process.GetProcessById(
            int.Parse(process.Output.Split(' ')[1], System.Globalization.CultureInfo.InvariantCulture)
        );
        process.LetGo();
        await process.WaitForExitAsync().WaitAsync(Eventually.Patience);
        await child.WaitForExitAsync().WaitAsync(Eventually.Patience);
    }

    [Fact]
    public async Task A_broker_is_asked_to_end_and_waited_for()
    {
        var folder = Directory.CreateTempSubdirectory("jackdaw-broker-").FullName;
        await using var process = BrokerProcess.Start(
            Script("trap 'sleep 0.3; echo done >end; exit 0' TERM; echo ready; while :; do sleep 0.05; done"),
            folder
        );
        await process.WaitAsync(
            "It",
            () => Task.FromResult(process.Output.Contains("ready", StringComparison.Ordinal)),
            Eventually.Patience
        );
        await process.StopAsync();
        Assert.Equal("done\n", await File.ReadAllTextAsync(Path.Combine(folder, "end")));
        Directory.Delete(folder, recursive: true);
    }

    private static BrokerCommand Script(string text) => new("sh", ["-c", text], new Dictionary<string, string>());
}

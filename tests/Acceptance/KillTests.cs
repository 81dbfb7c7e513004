using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>
/// kill -9 in the middle of a load, again and again on one data folder: after each restart everything that was acknowledged is
/// there, and nothing is half there.
/// JACKDAW_KILL_ROUNDS sets the number of rounds, JACKDAW_TEST_SEED the times of the kills.
/// </summary>
public sealed class KillTests
{
    private const int UsualRounds = 30;

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Every_acknowledged_write_survives_kill_9()
    {
        var rounds = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_KILL_ROUNDS"), out var given) ? given : UsualRounds;
        var seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED"), out var seeded) ? seeded : Random.Shared.Next();
        var random = new Random(seed);
        var folder = Directory.CreateTempSubdirectory("jackdaw-kill-").FullName;
        var log = Path.Combine(folder, "acknowledged.log");
        var kept = $"seed {seed}; the data folder is kept: {folder}";
        await CreateDatabaseAsync(folder);
        for (var round = 0; round < rounds; round++)
        {
            await using var server = await ServerUnderTest.StartAsync(folder, []);
            using var writer = NodeScript.Start("acknowledged-writer.mjs", server.Url, null, log, $"{round}");
            Assert.True(
                await writer.StandardOutput.ReadLineAsync().WaitAsync(Eventually.Patience) == "writing",
                $"round {round}, {kept}: {server.Errors}"
            );
            await Task.Delay(random.Next(0, 600));
            await server.KillAsync();
            await writer.WaitForExitAsync().WaitAsync(Eventually.Patience);

            await using var restarted = await ServerUnderTest.StartAsync(folder, []);
            try
            {
                await NodeScript.RunAsync("acknowledged-reader.mjs", restarted.Url, TimeSpan.FromMinutes(10), null, log);
            }
            catch (Xunit.Sdk.XunitException e)
            {
                Assert.Fail($"round {round}, {kept}:\n{e.Message}");
            }
            // Every other round recovers from a clean shutdown, the others from a second kill.
            if (round % 2 == 0)
                Assert.Equal(0, await restarted.StopAsync());
            else
                await restarted.KillAsync();
        }
        Directory.Delete(folder, recursive: true);
    }

    private static async Task CreateDatabaseAsync(string folder)
    {
        await using var server = await ServerUnderTest.StartAsync(folder, []);
        using var client = new HttpClient();
        using var created = await client.PutAsync(
            $"{server.Url}/admin/databases?name=acknowledged",
            new StringContent("""{"DatabaseName":"acknowledged"}""")
        );
        created.EnsureSuccessStatusCode();
    }
}

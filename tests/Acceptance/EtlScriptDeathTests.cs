using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>The process ends while a script runs on one document, as it does when the script takes more memory than there is.</summary>
[Trait("Category", "Slow")]
public sealed class EtlScriptDeathTests
{
    [Fact]
    public async Task A_document_whose_script_ends_the_process_ends_it_three_times_and_then_never_again()
    {
        var isDown = false;
        await using var receiver = new WebhookReceiver(_ => Volatile.Read(ref isDown) ? 503 : 200);
        var folder = Directory.CreateTempSubdirectory("jackdaw-etl-").FullName;
        using var client = new HttpClient();
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            using var created = await client.PutAsync(
                $"{server.Url}/admin/databases?name=shop",
                new StringContent("""{"DatabaseName":"shop"}""")
            );
            created.EnsureSuccessStatusCode();
            var database = new WireDatabase(client, server.Url, "shop");
            await EtlWireTests.StartTaskAsync(database, receiver.Url);
            for (var n = 1; n <= 10; n++)
                await EtlWireTests.PutOrderAsync(database, n);
            await EtlWireTests.UntilAsync(() => Task.FromResult(receiver.Subjects().Count == 10), () => "The task does not send.");
            // From here on the receiver takes nothing until the next start.
            Volatile.Write(ref isDown, true);
            for (var n = 11; n <= 15; n++)
                await EtlWireTests.PutOrderAsync(database, n);
            Assert.Equal(0, await server.StopAsync());
        }
        Volatile.Write(ref isDown, false);
        // The third script after each start is that of orders/13.
        for (var death = 1; death <= 3; death++)
        {
            await using var server = ServerUnderTest.Launch(folder, ["--Testing.Failpoint=etl/script#3"]);
            Assert.NotEqual(0, await server.WaitForExitAsync());
            Assert.Equal(10, receiver.Events.Count);
        }
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            var database = new WireDatabase(client, server.Url, "shop");
            await EtlWireTests.UntilAsync(
                () => Task.FromResult(receiver.Subjects().Count == 14),
                () => string.Join(", ", receiver.Subjects())
            );
            Assert.Equal(14, receiver.Events.Count);
            Assert.DoesNotContain("orders/13", receiver.Subjects());
            var letter = Assert.Single(
                (await database.GetAsync("/docs?startsWith=@dead-letters/")).Json.GetProperty("Results").EnumerateArray().ToArray()
            );
            Assert.Equal("orders/13", letter.GetProperty("DocumentId").GetString());
            Assert.Contains("process ended while the script ran", letter.GetProperty("Reason").GetString(), StringComparison.Ordinal);
            Assert.Equal(0, await server.StopAsync());
        }
        Directory.Delete(folder, recursive: true);
    }
}

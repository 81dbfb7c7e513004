using System.Text.Json;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Functions.Tests.Queues;

/// <summary><c>./run queues</c> against a real storage account in Azurite.</summary>
[Trait("Category", "Slow")]
public sealed class QueuesCommandTests(Account account) : IClassFixture<Account>
{
    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_list_names_each_queue_with_its_messages_and_what_they_are()
    {
        await account.QueueAsync("list-orders", Letters.Base64("{}"));
        await account.QueueAsync("list-orders-poison", "x", "y");
        await account.QueueAsync("list-dead", Letters.Dead("{}", "list-orders"));
        await account.QueueAsync("list-empty");
        var (code, output, errors) = await account.RunAsync("list");
        Assert.True(code == 0, errors);
        var lines = output.Split('\n').Select(line => line.TrimEnd()).ToArray();
        Assert.Contains(
            lines,
            line => line.StartsWith("list-orders ", StringComparison.Ordinal) && line.Contains(" 1 ", StringComparison.Ordinal)
        );
        Assert.Contains(lines, line => line.EndsWith("poison messages of list-orders", StringComparison.Ordinal));
        Assert.Contains(
            lines,
            line => line.StartsWith("list-dead ", StringComparison.Ordinal) && line.EndsWith("dead letters", StringComparison.Ordinal)
        );

        (code, output, errors) = await account.RunAsync("list", "--json");
        Assert.True(code == 0, errors);
        var listed = JsonSerializer
            .Deserialize<JsonElement>(output)
            .EnumerateArray()
            .ToDictionary(one => one.GetProperty("Queue").GetString()!);
        Assert.Equal(2, listed["list-orders-poison"].GetProperty("Messages").GetInt32());
        Assert.InRange(listed["list-orders-poison"].GetProperty("FirstSinceSeconds").GetInt64(), -5, 600);
        Assert.Equal(JsonValueKind.Null, listed["list-empty"].GetProperty("FirstSinceSeconds").ValueKind);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_message_is_shown_and_stays()
    {
        var queue = await account.QueueAsync(
            "show-dead",
            Letters.Dead("""{"a":1}""", "orders", "No \u001b[31mred."),
            Letters.Base64("plain")
        );
        var (code, output, errors) = await account.RunAsync("show", "show-dead");
        Assert.True(code == 0, errors);
        Assert.Contains("""{"a":1}""", output, StringComparison.Ordinal);
        Assert.Contains("OrdersFromQueue, order-summaries/1, at 2026-01-01T00:00:00.000Z", output, StringComparison.Ordinal);
        Assert.Contains("Belongs to the queue orders", output, StringComparison.Ordinal);
        // What a terminal would obey is shown escaped.
        Assert.DoesNotContain('\u001b', output);

        var second = (await queue.PeekMessagesAsync(2)).Value[1].MessageId;
        (code, output, errors) = await account.RunAsync("show", "show-dead", second, "--raw");
        Assert.True(code == 0, errors);
        Assert.Equal("plain", output.TrimEnd());
        Assert.Equal(2, await Account.CountAsync(queue));

        (code, _, errors) = await account.RunAsync("show", "show-dead", "nobody");
        Assert.Equal(1, code);
        Assert.Contains("None of the first 32 messages of 'show-dead' has the id nobody", errors, StringComparison.Ordinal);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task Poison_messages_go_back_as_they_are()
    {
        var texts = Enumerable.Range(0, 70).Select(i => i % 2 == 0 ? Letters.Base64($"message {i}") : $"no Base64, {i}").ToArray();
        var poison = await account.QueueAsync("back-poison", texts);
        var back = await account.QueueAsync("back");
        var (code, output, errors) = await account.RunAsync("redrive", "back-poison", "--max", "10");
        Assert.True(code == 0, errors);
        Assert.Contains("10 sent again, 0 stay", output, StringComparison.Ordinal);
        Assert.Equal(60, await Account.CountAsync(poison));
        (code, output, errors) = await account.RunAsync("redrive", "back-poison");
        Assert.True(code == 0, errors);
        Assert.Contains("60 sent again, 0 stay", output, StringComparison.Ordinal);
        Assert.Equal(texts.Order(StringComparer.Ordinal), (await Account.DrainAsync(back)).Order(StringComparer.Ordinal));
        Assert.Equal(0, await Account.CountAsync(poison));
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task Dead_letters_go_to_the_queue_of_their_consumer_and_others_stay()
    {
        var dead = await account.QueueAsync(
            "mixed-dead",
            Letters.Dead("order", "mixed-orders"),
            Letters.Dead("account", "mixed-accounts"),
            Letters.Base64("""{"type":"something else"}""")
        );
        var (orders, accounts) = (await account.QueueAsync("mixed-orders"), await account.QueueAsync("mixed-accounts"));

        var (code, output, errors) = await account.RunAsync("redrive", "mixed-dead", "--dry-run");
        Assert.True(code == 0, errors);
        Assert.Contains("About 3 messages are in 'mixed-dead'", output, StringComparison.Ordinal);
        Assert.Contains("1 would be sent to 'mixed-orders'", output, StringComparison.Ordinal);
        Assert.Contains("1 would be sent to 'mixed-accounts'", output, StringComparison.Ordinal);
        Assert.Contains("1 would stay", output, StringComparison.Ordinal);
        Assert.Equal(3, (await dead.PeekMessagesAsync(32)).Value.Length);

        (code, output, errors) = await account.RunAsync("redrive", "mixed-dead", "--json");
        Assert.Equal(1, code);
        Assert.Contains("it is no dead letter of the functions", errors, StringComparison.Ordinal);
        Assert.Equal("""{"Sent":2,"SentTwice":0,"Left":1}""", output.Trim());
        Assert.Equal("order", Letters.Text(Assert.Single(await Account.DrainAsync(orders))));
        Assert.Equal("account", Letters.Text(Assert.Single(await Account.DrainAsync(accounts))));
        // It is not hidden any more.
        Assert.Single((await dead.PeekMessagesAsync(32)).Value);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_queue_that_is_not_there_is_named_and_nothing_is_lost()
    {
        var dead = await account.QueueAsync("lost-dead", Letters.Dead("order", "lost-orders"));
        var (code, _, errors) = await account.RunAsync("redrive", "lost-dead");
        Assert.Equal(1, code);
        Assert.Contains("There is no queue 'lost-orders'", errors, StringComparison.Ordinal);
        Assert.Single((await dead.PeekMessagesAsync(32)).Value);
        (code, _, errors) = await account.RunAsync("redrive", "lost-nothing");
        Assert.Equal(1, code);
        Assert.Contains("There is no queue 'lost-nothing'", errors, StringComparison.Ordinal);

        var elsewhere = await account.QueueAsync("lost-elsewhere");
        (code, _, errors) = await account.RunAsync("redrive", "lost-dead", "--to=lost-elsewhere");
        Assert.True(code == 0, errors);
        Assert.Equal("order", Letters.Text(Assert.Single(await Account.DrainAsync(elsewhere))));
    }

    /// <summary>Each message comes back at once, as one does that becomes a dead letter again.</summary>
    [BrokerFact(BrokerKind.Azurite)]
    public async Task Messages_that_come_back_do_not_go_round_for_ever()
    {
        var texts = Enumerable.Range(0, 10).Select(i => $"{i}").ToArray();
        var poison = await account.QueueAsync("round-poison", texts);
        var (code, _, errors) = await account.RunAsync("redrive", "round-poison", "--to", "round-poison");
        Assert.True(code == 0, errors);
        Assert.Equal(texts, (await Account.DrainAsync(poison)).Order(StringComparer.Ordinal));
    }

    /// <summary>Killed before each of its requests in turn.</summary>
    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_redrive_that_is_killed_anywhere_loses_no_message()
    {
        var texts = Enumerable.Range(0, 3).Select(i => $"{i}").ToArray();
        var killed = 0;
        for (var request = 1; ; request++)
        {
            var poison = await account.QueueAsync($"killed{request}-poison", texts);
            var back = await account.QueueAsync($"killed{request}");
            await using var proxy = new DoomedAccount(account.Azurite, request);
            await using var command = Account.Launch(proxy.ConnectionString, "redrive", $"killed{request}-poison");
            proxy.Kills(command);
            await command.WaitForExitAsync();
            if (!proxy.HasKilled)
            {
                Assert.Equal(0, command.ExitCode);
                break;
            }
            killed++;
            // Those that it had taken are hidden in the poison queue, and counted.
            var delivered = (await Account.DrainAsync(back)).Distinct().Count();
            Assert.True(
                await Account.CountAsync(poison) >= texts.Length - delivered,
                $"Killed before request {request}: a message is lost."
            );
        }
        Assert.True(killed >= 8, $"{killed} requests");
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_dead_letter_in_a_blob_is_sent_with_a_claim_check()
    {
        var data = $$"""{"Company":"{{new string('x', 60_000)}}"}""";
        var message = $$"""{"specversion":"1.0","id":"1","subject":"orders/1","data":{{data}}}""";
        var container = account.Blobs.GetBlobContainerClient("large-letters");
        await container.CreateAsync();
        await container.UploadBlobAsync("one", new BinaryData(message));
        await container.UploadBlobAsync("two", new BinaryData("small"));
        var dead = await account.QueueAsync(
            "large-dead",
            Letters.DeadInBlob("large-letters", "one", "large-orders"),
            Letters.DeadInBlob("large-letters", "two", "large-orders"),
            Letters.DeadInBlob("large-letters", "gone", "large-orders")
        );
        var orders = await account.QueueAsync("large-orders");
        var (code, output, _) = await account.RunAsync("redrive", "large-dead");
        Assert.Equal(1, code);
        Assert.Contains("its blob 'large-letters/gone' is gone", output, StringComparison.Ordinal);
        Assert.Single((await dead.PeekMessagesAsync(32)).Value);
        var sent = (await Account.DrainAsync(orders)).Select(Letters.Text).OrderBy(text => text.Length).ToArray();
        Assert.Equal("small", sent[0]);
        var members = JsonSerializer.Deserialize<JsonElement>(sent[1]);
        Assert.False(members.TryGetProperty("data", out _));
        Assert.Equal("orders/1", members.GetProperty("subject").GetString());
        var address = new Uri(members.GetProperty("dataref").GetString()!);
        Assert.StartsWith(container.Uri.ToString(), address.ToString(), StringComparison.Ordinal);
        Assert.Equal(data, (await container.GetBlobClient(address.Segments[^1]).DownloadContentAsync()).Value.Content.ToString());
    }

    [Theory]
    [InlineData("Say what is to be done")]
    [InlineData("Say what is to be done", "redrive")]
    [InlineData("'--force' is no option", "redrive", "x", "--force")]
    [InlineData("--max takes a number", "redrive", "x", "--max", "none")]
    [InlineData("--to needs a value", "redrive", "x", "--to")]
    [InlineData("Say which storage account is meant", "list")]
    [InlineData("The connection string is not one", "list", "--connection-string", "nonsense")]
    [InlineData("--queue-service-uri takes an https address", "list", "--queue-service-uri", "http://x")]
    public async Task A_wrong_command_line_is_refused(string message, params string[] words)
    {
        await using var command = Account.Launch(null, words);
        Assert.Equal(2, await command.WaitForExitAsync());
        Assert.Contains(message, command.Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_tells_all_commands()
    {
        await using var command = Account.Launch(null, "--help");
        Assert.Equal(0, await command.WaitForExitAsync());
        foreach (
            var word in new[] { "list", "show", "redrive", "--dry-run", "--max", "--to", "--queue-service-uri", "--connection-string" }
        )
            Assert.Contains(word, command.Output, StringComparison.Ordinal);
    }
}

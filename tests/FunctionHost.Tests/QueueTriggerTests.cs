using System.Text.Json;
using Azure.Storage.Queues;
using Jackdaw.Brokers;

namespace Jackdaw.FunctionHost.Tests;

/// <summary>Storage queues in Azurite: what the handler is sent, how often, and what becomes of messages.</summary>
[Trait("Category", "Slow")]
public sealed class QueueTriggerTests : IAsyncLifetime
{
    private const string Fast = """{"queues":{"maxPollingInterval":"00:00:00.1","maxDequeueCount":3}}""";

    private AzuriteBroker? _azurite;
    private TestApp _app = null!;

    public async Task InitializeAsync()
    {
        _app = await TestApp.CreateAsync();
        if (BrokerAvailability.WhyNot(BrokerKind.Azurite) is not null && !BrokerAvailability.AreRequired)
            return;
        _azurite = await AzuriteBroker.StartAsync();
        _app.Set("Account", _azurite.ConnectionString);
        _app.Set("Orders", "orders");
        _app.WriteHostFile(Fast);
    }

    public async Task DisposeAsync()
    {
        await _app.DisposeAsync();
        if (_azurite is not null)
            await _azurite.DisposeAsync();
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_text_arrives_encoded_twice_with_its_metadata_and_the_message_is_removed()
    {
        _app.WriteQueueFunction("FromQueue", "%Orders%");
        await SendAsync("orders", """{"ä":"\"1\""}""");
        await _app.StartAsync();
        await Eventually.IsAsync(() => !_app.Calls.IsEmpty);
        var call = _app.Calls.Single();
        Assert.Equal("FromQueue", call.Function);
        Assert.Equal(JsonValueKind.String, call.Data.GetProperty("item").ValueKind);
        Assert.Equal("""{"ä":"\"1\""}""", Call.Decoded(call.Data.GetProperty("item")));
        Assert.Equal("1", call.Metadata.GetProperty("DequeueCount").GetString());
        Assert.NotEmpty(Call.Decoded(call.Metadata.GetProperty("Id")));
        Assert.True(call.Metadata.GetProperty("InsertionTime").TryGetDateTimeOffset(out _));
        Assert.Equal("FromQueue", call.Metadata.GetProperty("sys").GetProperty("MethodName").GetString());
        await EmptyAsync("orders");
        Assert.Matches(@"^Executed 'Functions\.FromQueue' \(Succeeded, Id=[0-9a-f-]{36}, Duration=\d+ms\)$", _app.Lines.Single(IsExecuted));
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task Bytes_arrive_as_Base64_once()
    {
        _app.WriteQueueFunction("FromQueue", "orders", ""","dataType":"binary" """);
        await SendAsync("orders", "ä");
        await _app.StartAsync();
        await Eventually.IsAsync(() => !_app.Calls.IsEmpty);
        Assert.Equal("ä"u8.ToArray(), _app.Calls.Single().Data.GetProperty("item").GetBytesFromBase64());
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_message_that_fails_comes_again_with_a_count_and_then_lies_in_the_poison_queue()
    {
        _app.WriteQueueFunction("FromQueue", "orders");
        _app.Answer = call =>
            Task.FromResult(call.Metadata.GetProperty("DequeueCount").GetString() == "3" ? new Reply(200, "") : Reply.Failed);
        await SendAsync("orders", "bad");
        await _app.StartAsync();
        await Eventually.IsAsync(async () => await PeekAsync("orders-poison") is ["bad"]);
        await EmptyAsync("orders");
        Assert.Equal(["1", "2", "3"], _app.Calls.Select(call => call.Metadata.GetProperty("DequeueCount").GetString()));
        var lines = _app.Lines.Where(IsExecuted).ToList();
        Assert.Contains("(Failed, ", lines[0], StringComparison.Ordinal);
        Assert.EndsWith("""the handler answered 500: {"error":"no"}""", lines[0], StringComparison.Ordinal);
        Assert.Contains("answer has no body", lines[2], StringComparison.Ordinal);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_message_in_another_encoding_lies_in_the_poison_queue_at_once()
    {
        _app.WriteQueueFunction("FromQueue", "orders");
        await new QueueClient(_azurite!.ConnectionString, "orders").CreateIfNotExistsAsync();
        await new QueueClient(_azurite.ConnectionString, "orders").SendMessageAsync("{}");
        await _app.StartAsync();
        await Eventually.IsAsync(async () =>
            await new QueueClient(_azurite.ConnectionString, "orders-poison").ExistsAsync()
            && (await new QueueClient(_azurite.ConnectionString, "orders-poison").PeekMessagesAsync()).Value is [{ MessageText: "{}" }]
        );
        Assert.Empty(_app.Calls);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_message_stays_out_of_sight_for_as_long_as_its_function_runs()
    {
        _app.WriteQueueFunction("FromQueue", "orders");
        var released = new TaskCompletionSource();
        _app.Answer = async _ =>
        {
            await released.Task;
            return Reply.Ok;
        };
        await SendAsync("orders", "slow");
        await _app.StartAsync(new HostOptions { Lease = TimeSpan.FromSeconds(2) });
        await Eventually.IsAsync(() => !_app.Calls.IsEmpty);
        // Three leases long: it would be seen twice if it were not prolonged. A machine that stands still may let one end.
        await Task.Delay(TimeSpan.FromSeconds(6));
        var calls = _app.Calls.Count;
        released.SetResult();
        await EmptyAsync("orders");
        Assert.InRange(calls, 1, 2);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task No_more_messages_are_under_way_than_batch_and_threshold()
    {
        _app.WriteHostFile("""{"queues":{"maxPollingInterval":"00:00:00.1","batchSize":4,"newBatchThreshold":2}}""");
        _app.WriteQueueFunction("FromQueue", "orders");
        var (running, most) = (0, 0);
        _app.Answer = async _ =>
        {
            var now = Interlocked.Increment(ref running);
            lock (_app)
                most = Math.Max(most, now);
            await Task.Delay(20);
            Interlocked.Decrement(ref running);
            return Reply.Ok;
        };
        for (var i = 0; i < 40; i++)
            await SendAsync("orders", $"{i}");
        await _app.StartAsync();
        await Eventually.IsAsync(() => _app.Calls.Count >= 40);
        await EmptyAsync("orders");
        Assert.InRange(most, 2, 6);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_handler_that_dies_is_started_again_and_the_message_comes_again()
    {
        _app.WriteQueueFunction("FromQueue", "orders");
        var reached = new TaskCompletionSource();
        _app.Answer = async _ =>
        {
            if (reached.TrySetResult())
                await Task.Delay(Timeout.Infinite);
            return Reply.Ok;
        };
        await SendAsync("orders", "one");
        await _app.StartAsync();
        await reached.Task.WaitAsync(Eventually.Patience);
        _app.Host.KillHandler();
        await EmptyAsync("orders");
        Assert.Equal(2, _app.Host.HandlerStarts);
        Assert.Equal(["1", "2"], _app.Calls.Select(call => call.Metadata.GetProperty("DequeueCount").GetString()));
        Assert.Contains(_app.Lines, line => line.Contains("the handler does not answer", StringComparison.Ordinal));
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_function_that_runs_too_long_is_ended_with_its_handler()
    {
        _app.WriteHostFile(Fast, """ "functionTimeout": "00:00:02", """);
        _app.WriteQueueFunction("FromQueue", "orders");
        _app.Answer = async call =>
        {
            if (call.Metadata.GetProperty("DequeueCount").GetString() == "1")
                await Task.Delay(Timeout.Infinite);
            return Reply.Ok;
        };
        await SendAsync("orders", "one");
        await _app.StartAsync();
        await EmptyAsync("orders");
        Assert.Contains(_app.Lines, line => line.Contains("ran longer than functionTimeout", StringComparison.Ordinal));
        Assert.True(_app.Host.HandlerStarts >= 2);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task Outputs_become_messages_and_a_function_whose_output_cannot_be_stored_has_failed()
    {
        _app.WriteQueueFunction(
            "FromQueue",
            "orders",
            outputs: """,{"name":"out","type":"queue","direction":"out","queueName":"%Letters%","connection":"Account"},{"name":"$return","type":"queue","direction":"out","queueName":"returned","connection":"Account"}"""
        );
        _app.Set("Letters", "letters");
        _app.Answer = call =>
            Task.FromResult(
                Call.Decoded(call.Data.GetProperty("item")) switch
                {
                    "text" => new Reply(200, """{"Outputs":{"out":"a text"},"ReturnValue":null,"Logs":["heard"]}"""),
                    "array" => new Reply(200, """{"Outputs":{"out":["one",{"two":2}]},"ReturnValue":"back"}"""),
                    _ => new Reply(200, "{\"Outputs\":{\"out\":\"" + new string('x', 49_153) + "\"}}"),
                }
            );
        foreach (var message in new[] { "text", "array", "large" })
            await SendAsync("orders", message);
        await _app.StartAsync();
        await EmptyAsync("orders");
        Assert.Equal(new HashSet<string> { "a text", "one", """{"two":2}""" }, [.. await PeekAsync("letters")]);
        Assert.Equal(["back"], await PeekAsync("returned"));
        Assert.Equal(["large"], await PeekAsync("orders-poison"));
        Assert.Contains(
            _app.Lines,
            line => line.Contains("has 65540 characters; a queue's message may have 65536", StringComparison.Ordinal)
        );
        Assert.Contains("[Functions.FromQueue] heard", _app.Lines);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_host_that_stops_gives_back_what_is_under_way()
    {
        _app.WriteQueueFunction("FromQueue", "orders");
        var reached = new TaskCompletionSource();
        _app.Answer = async call =>
        {
            if (call.Metadata.GetProperty("DequeueCount").GetString() != "1")
                return Reply.Ok;
            reached.TrySetResult();
            await Task.Delay(Timeout.Infinite);
            return Reply.Ok;
        };
        await SendAsync("orders", "one");
        await _app.StartAsync();
        await reached.Task.WaitAsync(Eventually.Patience);
        await _app.StopAsync();
        // Its lease is ten minutes long, and it is there at once.
        await _app.StartAsync();
        await EmptyAsync("orders");
        Assert.Equal(2, _app.Calls.Count);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task The_host_as_a_process_ends_its_handler_with_it_however_it_ends()
    {
        _app.WriteQueueFunction("FromQueue", "orders");
        var settings = new Dictionary<string, string>
        {
            ["Account"] = _azurite!.ConnectionString,
            ["TEST_PORT"] = _app.Port,
            ["AzureWebJobs.Other.Disabled"] = "true",
        };
        _app.WriteFunction("Other", """{"bindings":[{"name":"a","type":"eventHubTrigger","direction":"in"}]}""");
        await SendAsync("orders", "one");
        await using (var host = await FunctionHostProcess.StartStandInAsync(_app.Folder, settings, new HostOptions()))
        {
            await Eventually.IsAsync(() => host.Succeeded == 1);
            await host.StopAsync();
            Assert.Contains("The host stops.", host.Output, StringComparison.Ordinal);
        }
        await using (var host = await FunctionHostProcess.StartStandInAsync(_app.Folder, settings, new HostOptions()))
        {
            await host.KillAsync();
            await Eventually.IsAsync(() => !_app.IsHandlerRunning());
        }
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_planted_host_removes_messages_before_the_handler_answers()
    {
        _app.WriteQueueFunction("FromQueue", "orders");
        _app.Answer = _ => Task.FromResult(Reply.Failed);
        await SendAsync("orders", "lost");
        await _app.StartAsync(new HostOptions { Mistake = HostMistake.AcknowledgesEarly });
        await EmptyAsync("orders");
        // It is called when the message has gone already.
        await Eventually.IsAsync(() => !_app.Calls.IsEmpty);
        Assert.Single(_app.Calls);
        Assert.Empty(await PeekAsync("orders-poison"));
    }

    private static bool IsExecuted(string line) => line.StartsWith("Executed ", StringComparison.Ordinal);

    private QueueClient Queue(string name) =>
        new(_azurite!.ConnectionString, name, new QueueClientOptions { MessageEncoding = QueueMessageEncoding.Base64 });

    private async Task SendAsync(string queue, string message)
    {
        await Queue(queue).CreateIfNotExistsAsync();
        await Queue(queue).SendMessageAsync(message);
    }

    private async Task<IReadOnlyList<string>> PeekAsync(string queue) =>
        await Queue(queue).ExistsAsync()
            ? [.. (await Queue(queue).PeekMessagesAsync(32)).Value.Select(message => message.Body.ToString())]
            : [];

    /// <summary>Waits until nothing is in the queue, nor out of sight.</summary>
    private Task EmptyAsync(string queue) =>
        Eventually.IsAsync(async () => (await Queue(queue).GetPropertiesAsync()).Value.ApproximateMessagesCount == 0);
}

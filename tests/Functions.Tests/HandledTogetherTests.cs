using System.Text;
using System.Text.Json.Nodes;

namespace Jackdaw.Functions.Tests;

/// <summary>Messages of many documents that come together: few requests, and whatever is wrong with one concerns no other.</summary>
[Trait("Category", "Slow")]
public sealed class HandledTogetherTests
{
    private const int Orders = 20;

    [Fact]
    public async Task Messages_of_many_orders_cost_one_read_and_one_batch_and_those_with_which_something_is_wrong_are_left()
    {
        await using var scene = await Scene.OpenAsync();
        for (var i = 0; i < Orders; i++)
            await PutAsync(scene, i, price: 1);
        await scene.Wire.UntilSentAsync("shop");
        await PutAsync(scene, 0, price: 7);
        await scene.Wire.SendAsync("DELETE", "/databases/shop/docs?id=orders/1");
        await scene.Wire.UntilSentAsync("shop");
        var messages = scene.Messages.ToList();
        Assert.Equal(Orders + 2, messages.Count);
        byte[][] wrong =
        [
            "no JSON"u8.ToArray(),
            With(messages[2], "type", "com.example.other"),
            With(messages[3], "subject", "orders/" + new string('x', 510)),
            // Makes the handler look at the source's history once more.
            With(messages[4], "databaseid", "AAAAAAAAAAAAAAAAAAAAAA"),
            // Of one change there is one message; a claim check is fetched where the message is handled by itself.
            With(messages[5], "id", "another"),
            With(messages[6], "dataref", "https://blobs.example/there"),
        ];
        using var counting = new Counting();

        // One of the orders comes twice, and the newest change of another one first.
        ReadOnlyMemory<byte>[] batch = [messages[^1], .. messages, messages[7], .. wrong];
        var left = await scene.Handler(messages[0], over: counting).HandleTogetherAsync(batch, CancellationToken.None);

        Assert.Equal(wrong, left.Select(message => message.ToArray()));
        Assert.Equal(["GET stats", "GET stats", "POST docs", "POST bulk_docs"], counting.Requests);
        Assert.Equal(7m, await TotalAsync(scene, 0));
        Assert.Null(await TotalAsync(scene, 1));
        for (var i = 2; i < Orders; i++)
            Assert.Equal(1m, await TotalAsync(scene, i));

        // All of it again, which changes nothing.
        counting.Requests.Clear();
        Assert.Equal(
            wrong,
            (await scene.Handler(messages[0], over: counting).HandleTogetherAsync(batch, CancellationToken.None)).Select(one =>
                one.ToArray()
            )
        );
        Assert.Equal(["GET stats", "GET stats", "POST docs"], counting.Requests);
    }

    /// <summary>Another handler is faster with one of the orders: none is stored, and each is left to be handled by itself.</summary>
    [Fact]
    public async Task Where_a_batch_is_refused_all_of_its_messages_are_left()
    {
        await using var scene = await Scene.OpenAsync();
        for (var i = 0; i < 3; i++)
            await PutAsync(scene, i, price: 1);
        await scene.Wire.UntilSentAsync("shop");
        var messages = scene.Messages.ToList();
        using var overtaken = new Counting(async () => await scene.Handler(messages[1]).HandleAsync(messages[1], CancellationToken.None));
        ReadOnlyMemory<byte>[] batch = [.. messages];
        var left = await scene.Handler(messages[0], over: overtaken).HandleTogetherAsync(batch, CancellationToken.None);
        Assert.Equal(messages, left.Select(message => message.ToArray()));
        foreach (var message in left)
            await scene.Handler(messages[0]).HandleAsync(message, CancellationToken.None);
        for (var i = 0; i < 3; i++)
            Assert.Equal(1m, await TotalAsync(scene, i));
        Assert.Empty(scene.Graves.Letters);
    }

    private static async Task PutAsync(Scene scene, int number, int price) =>
        await scene.Wire.SendAsync(
            "PUT",
            $"/databases/shop/docs?id=orders/{number}",
            $$$"""{"Company":"c","Lines":[{"PricePerUnit":{{{price}}},"Quantity":1}],"@metadata":{"@collection":"Orders"}}"""
        );

    private static async Task<decimal?> TotalAsync(Scene scene, int number) =>
        (await scene.Wire.DocumentAsync("views", $"summaries/orders/{number}"))?.GetProperty("Total").GetDecimal();

    private static byte[] With(byte[] message, string member, string value)
    {
        var members = JsonNode.Parse(message)!.AsObject();
        members[member] = value;
        return Encoding.UTF8.GetBytes(members.ToJsonString());
    }

    /// <summary>Counts requests, and does something before the first batch is sent.</summary>
    private sealed class Counting(Func<Task>? beforeBatch = null) : DelegatingHandler(new SocketsHttpHandler())
    {
        public List<string> Requests { get; } = [];

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            var what = request.RequestUri!.AbsolutePath.Split('/')[^1];
            Requests.Add($"{request.Method} {what}");
            if (what == "bulk_docs" && beforeBatch is not null)
                await beforeBatch();
            return await base.SendAsync(request, cancellationToken);
        }
    }
}

using System.Net.WebSockets;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Endpoints.Queries;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Changes;

/// <summary>What the Changes API tells, and in which order.</summary>
public sealed class ChangesTests : IAsyncLifetime
{
    private ServerScene _scene = null!;

    public async Task InitializeAsync() => _scene = await ServerScene.OpenAsync();

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    [Fact]
    public async Task A_write_and_a_deletion_are_told_with_id_collection_and_change_vector()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-docs");

        await PutAsync("Users/1", "Users");
        var put = await client.NextAsync("DocumentChange");
        await _scene.DeleteAsync("users/1");
        var deletion = await client.NextAsync("DocumentChange");

        Assert.Equal("Put", put.GetProperty("Type").GetString());
        Assert.Equal("Users/1", put.GetProperty("Id").GetString());
        Assert.Equal("Users", put.GetProperty("CollectionName").GetString());
        Assert.Equal($"A:1-{_scene.Database.IdText}", put.GetProperty("ChangeVector").GetString());
        Assert.Equal("Delete", deletion.GetProperty("Type").GetString());
        Assert.Equal("Users/1", deletion.GetProperty("Id").GetString());
        Assert.Equal("Users", deletion.GetProperty("CollectionName").GetString());
        Assert.Equal($"A:2-{_scene.Database.IdText}", deletion.GetProperty("ChangeVector").GetString());
    }

    [Theory]
    [InlineData("watch-doc", "USERS/1", "Put users/1", "Put users/1")]
    [InlineData("watch-prefix", "Users/", "Put users/1", "Put users/2", "Put users/1")]
    [InlineData("watch-prefix", "ordersÄ", "Put ordersä/1")]
    [InlineData("watch-collection", "users", "Put users/1", "Put users/2", "Put users/1")]
    [InlineData("watch-collection", "@EMPTY", "Put none")]
    [InlineData("watch-docs", null, "Put users/1", "Put users/2", "Put ordersä/1", "Put none", "Put users/1")]
    public async Task A_watch_tells_what_fits_it_in_the_order_of_writing(string command, string? parameter, params string[] told)
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-doc", "end");
        await client.DoAsync(command, parameter);

        await PutAsync("users/1", "Users");
        await ReachedAsync(client, told);
        await PutAsync("users/2", "Users");
        await ReachedAsync(client, told);
        await PutAsync("ordersä/1", "Orders");
        await ReachedAsync(client, told);
        await PutAsync("none", null);
        await ReachedAsync(client, told);
        await PutAsync("users/1", "Users");
        await ReachedAsync(client, told);
        await PutAsync("end", "Ends");

        Assert.Equal("Put end", await client.NextDocumentAsync());
        Assert.Equal(told, _heard);
    }

    [Fact]
    public async Task A_change_that_fits_several_watches_is_told_once()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-docs");
        await client.DoAsync("watch-doc", "users/1");
        await client.DoAsync("watch-prefix", "u");
        await client.DoAsync("watch-prefix", "users/");
        await client.DoAsync("watch-collection", "Users");

        await PutAsync("users/1", "Users");
        await PutAsync("end", "Ends");

        Assert.Equal("Put users/1", await client.NextDocumentAsync());
        Assert.Equal("Put end", await client.NextDocumentAsync());
    }

    [Fact]
    public async Task What_was_written_before_a_watch_is_not_told_although_others_are_told_of_it_later()
    {
        await PutAsync("before", "Users");
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-docs");
        using (var reader = _scene.Database.OpenRead("the reading of changes is behind"))
        {
            var cursor = reader.Changes(0);
            Assert.True(cursor.MoveNext());
            Database().Tell(cursor.Current);
        }
        await PutAsync("after", "Users");

        Assert.Equal("Put after", await client.NextDocumentAsync());
    }

    [Fact]
    public async Task Once_an_unwatch_is_confirmed_nothing_of_the_watch_follows()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-doc", "end");
        await client.DoAsync("watch-collection", "Users");
        await client.DoAsync("unwatch-collection", "USERS");
        await PutAsync("users/1", "Users");
        await PutAsync("end", "Ends");

        Assert.Equal("Put end", await client.NextDocumentAsync());
    }

    [Fact]
    public async Task Watching_twice_is_watching_once_and_what_is_not_watched_can_be_unwatched()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("unwatch-docs");
        await client.DoAsync("unwatch-doc", "users/1");
        await client.DoAsync("watch-docs");
        await client.DoAsync("watch-docs");
        await client.DoAsync("unwatch-docs");
        await client.DoAsync("watch-doc", "end");
        await PutAsync("users/1", "Users");
        await PutAsync("end", "Ends");

        Assert.Equal("Put end", await client.NextDocumentAsync());
    }

    [Fact]
    public async Task Cached_answers_are_told_to_be_old_by_one_message_whatever_has_changed()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-aggressive-caching");
        await client.DoAsync("watch-topology-change", "");
        await PutAsync("users/1", "Users");
        Assert.Equal("{}", (await client.NextAsync("AggressiveCacheChange")).ToString());
        await _scene.DeleteAsync("users/1");
        await client.NextAsync("AggressiveCacheChange");
        Database().TellIndex("Auto/Users/ByName", "BatchCompleted", changesAnswers: true);
        await client.NextAsync("AggressiveCacheChange");
        await client.DoAsync("unwatch-aggressive-caching");
    }

    [Fact]
    public async Task Indexes_are_told_all_or_one_by_its_name()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-index", "auto/users/byname");
        await client.DoAsync("watch-operation", "77");
        Database().TellIndex("Auto/Orders/ByTotal", "IndexAdded", changesAnswers: false);
        Database().TellIndex("Auto/Users/ByName", "BatchCompleted", changesAnswers: true);
        var change = await client.NextAsync("IndexChange");
        await client.DoAsync("watch-indexes");
        Database().TellIndex("Auto/Orders/ByTotal", "IndexRemoved", changesAnswers: true);

        Assert.Equal("BatchCompleted", change.GetProperty("Type").GetString());
        Assert.Equal("Auto/Users/ByName", change.GetProperty("Name").GetString());
        Assert.Equal("IndexRemoved", (await client.NextAsync("IndexChange")).GetProperty("Type").GetString());
    }

    [Fact]
    public async Task An_operation_is_told_from_its_present_state_to_its_end()
    {
        var progress = new QueryProgress("from Users", 10, 0);
        var operation = _scene.State.Operations.Begin(_scene.Database.Id, progress);
        await using var client = await SocketClient.ConnectAsync(_scene);
        await using var all = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-operation", $"{operation.Id}");
        var present = await client.NextAsync("OperationStatusChange");
        await all.DoAsync("watch-operations");
        _ = _scene.State.Operations.Begin(Guid.NewGuid(), progress);
        var other = _scene.State.Operations.Begin(_scene.Database.Id, progress);
        operation.Report(progress with { DocumentsProcessed = 5 });
        operation.End(OperationStatus.Completed);

        Assert.Equal(operation.Id, present.GetProperty("OperationId").GetInt64());
        Assert.Equal("InProgress", present.GetProperty("State").GetProperty("Status").GetString());
        var halfway = (await client.NextAsync("OperationStatusChange")).GetProperty("State");
        Assert.Equal(5, halfway.GetProperty("Progress").GetProperty("Processed").GetInt64());
        var end = (await client.NextAsync("OperationStatusChange")).GetProperty("State");
        Assert.Equal("Completed", end.GetProperty("Status").GetString());
        Assert.Equal(other.Id, (await all.NextAsync("OperationStatusChange")).GetProperty("OperationId").GetInt64());
        Assert.Equal(operation.Id, (await all.NextAsync("OperationStatusChange")).GetProperty("OperationId").GetInt64());
    }

    [Fact]
    public async Task An_operation_that_has_ended_before_the_watch_is_told_at_once()
    {
        var operation = _scene.State.Operations.Begin(_scene.Database.Id, new QueryProgress("from Users", 0, 0));
        operation.End(OperationStatus.Canceled);
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-operation", $"{operation.Id}");

        var state = (await client.NextAsync("OperationStatusChange")).GetProperty("State");
        Assert.Equal("Canceled", state.GetProperty("Status").GetString());
    }

    [Fact]
    public async Task Deletions_are_kept_until_they_were_told()
    {
        await using (var client = await SocketClient.ConnectAsync(_scene))
        {
            await client.DoAsync("watch-docs");
            Assert.Equal(["changes-api"], _scene.Database.Consumers.Places()!.Select(place => place.Name));
            await PutAsync("users/1", "Users");
            await _scene.DeleteAsync("users/1");
            while (await client.NextDocumentAsync() != "Delete users/1") { }
            await Eventually.IsAsync(() => _scene.Database.Consumers.Places()![0].Etag == 2);
        }
        Assert.Empty(_scene.Database.Consumers.Places()!);
    }

    [Fact]
    public async Task Nobody_who_watches_documents_means_no_reading()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-indexes");
        await client.DoAsync("watch-aggressive-caching");
        var readers = _scene.Database.ReadersEnded;
        await PutAsync("users/1", "Users");
        await client.NextAsync("AggressiveCacheChange");

        Assert.Equal(readers, _scene.Database.ReadersEnded);
    }

    [Fact]
    public async Task A_client_that_closes_is_answered_and_forgotten()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-docs");
        Assert.True(_scene.State.Changes.IsBeating);
        await client.CloseAsync();
        await client.EndedAsync();

        Assert.Equal(WebSocketCloseStatus.NormalClosure, client.CloseStatus);
        Assert.Equal(0, Database().SocketCount);
        Assert.Equal(0, Database().WatchCount);
        Assert.False(_scene.State.Changes.IsBeating);
    }

    [Fact]
    public async Task Any_mixture_of_watches_and_writes_tells_each_socket_what_fits_in_order_and_the_last_state_of_each_document()
    {
        var random = new Random(20261122);
        string[] ids = ["users/1", "users/2", "Users/30", "orders/1", "orders/22", "äpfel/1", "x"];
        string[] collections = ["Users", "Orders", "Fruits"];
        var clients = new List<(SocketClient Client, Func<string, string, bool> Fits)>();
        for (var i = 0; i < 20; i++)
        {
            var client = await SocketClient.ConnectAsync(_scene);
            await client.DoAsync("watch-doc", "end");
            var fits = new List<Func<string, string, bool>>();
            for (var watches = random.Next(1, 4); watches > 0; watches--)
                fits.Add(await WatchSomethingAsync(client, random, ids, collections));
            clients.Add((client, (id, collection) => fits.Any(fit => fit(id, collection))));
        }
        var last = new Dictionary<(string Id, string Collection), string>();
        for (var i = 0; i < 400; i++)
        {
            var id = ids[random.Next(ids.Length)];
            var collection = collections[Array.IndexOf(ids, id) % collections.Length];
            var isDeletion = last.GetValueOrDefault((id, collection)) == "Put" && random.Next(3) == 0;
            if (isDeletion)
                await _scene.DeleteAsync(id.ToUpperInvariant());
            else
                await PutAsync(id, collection);
            last[(id, collection)] = isDeletion ? "Delete" : "Put";
        }
        await PutAsync("end", "Ends");

        foreach (var (client, fits) in clients)
        {
            var told = new Dictionary<string, string>(StringComparer.Ordinal);
            long etag = 0;
            while (true)
            {
                var change = await client.NextAsync("DocumentChange");
                var id = change.GetProperty("Id").GetString()!;
                if (id == "end")
                    break;
                Assert.True(fits(id, change.GetProperty("CollectionName").GetString()!), change.ToString());
                var next = long.Parse(change.GetProperty("ChangeVector").GetString()!.Split(':', '-')[1]);
                Assert.True(next > etag, $"{next} after {etag}");
                etag = next;
                told[id] = change.GetProperty("Type").GetString()!;
            }
            foreach (var ((id, collection), type) in last.Where(pair => fits(pair.Key.Id, pair.Key.Collection)))
                Assert.Equal(type, told[id]);
            await client.DisposeAsync();
        }
    }

    private readonly List<string> _heard = [];

    private Jackdaw.Server.Endpoints.Changes.DatabaseChanges Database() =>
        _scene.Database.Attached<Jackdaw.Server.Endpoints.Changes.DatabaseChanges>()!;

    /// <summary>Hears as far as the test expects, so that no two writes of a document are told as one.</summary>
    private async Task ReachedAsync(SocketClient client, string[] told)
    {
        // A document of its own tells how far the server has come.
        await PutAsync("end", "Ends");
        for (var heard = await client.NextDocumentAsync(); heard != "Put end"; heard = await client.NextDocumentAsync())
            _heard.Add(heard);
        Assert.Equal(told.Take(_heard.Count), _heard);
    }

    private static async Task<Func<string, string, bool>> WatchSomethingAsync(
        SocketClient client,
        Random random,
        string[] ids,
        string[] collections
    )
    {
        var id = ids[random.Next(ids.Length)];
        var collection = collections[random.Next(collections.Length)];
        var prefix = id[..random.Next(1, id.Length + 1)];
        const StringComparison Any = StringComparison.OrdinalIgnoreCase;
        switch (random.Next(7))
        {
            case 0:
                await client.DoAsync("watch-docs");
                return (_, _) => true;
            case 1 or 2:
                await client.DoAsync("watch-doc", id.ToUpperInvariant());
                return (other, _) => other.Equals(id, Any);
            case 3 or 4:
                await client.DoAsync("watch-collection", collection.ToLowerInvariant());
                return (_, other) => other.Equals(collection, Any);
            default:
                await client.DoAsync("watch-prefix", prefix.ToUpperInvariant());
                return (other, _) => other.StartsWith(prefix, Any);
        }
    }

    private Task PutAsync(string id, string? collection) =>
        _scene.PutAsync([(id, collection is null ? "{}" : $$$"""{"@metadata":{"@collection":"{{{collection}}}"}}""")]);
}

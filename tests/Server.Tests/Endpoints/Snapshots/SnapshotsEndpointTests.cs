using System.IO.Compression;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Server.Tests.Serving;
using Microsoft.AspNetCore.Connections;

namespace Jackdaw.Server.Tests.Endpoints.Snapshots;

/// <summary>Snapshots over HTTP: docs/snapshots.md, "HTTP".</summary>
public sealed class SnapshotsEndpointTests : IAsyncLifetime
{
    private const int LimitBytes = 12 << 20;

    private ServerScene _scene = null!;

    public async Task InitializeAsync() => _scene = await ServerScene.OpenAsync(new Limits { MaxSnapshotBytes = LimitBytes });

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    [Fact]
    public async Task A_snapshot_is_read_back_with_everything_that_was_sent()
    {
        byte[] bytes = Bytes(1, 1000);

        Assert.Equal(
            201,
            await PutAsync(
                "?stream=k%C3%B6nto%2F1%20%F0%9F%90%A6&number=7&ticks=638000000000000001&serializer=-3&manifest=M%C3%A4%20%2B",
                bytes
            )
        );

        var (answer, read) = await GetAsync("?stream=k%C3%B6nto%2F1%20%F0%9F%90%A6");
        Assert.Equal(200, answer.Status);
        Assert.Equal(bytes, read);
        Assert.Equal("7", answer.Headers["Snapshot-Number"]);
        Assert.Equal("638000000000000001", answer.Headers["Snapshot-Ticks"]);
        Assert.Equal("-3", answer.Headers["Snapshot-Serializer"]);
        Assert.Equal("M%C3%A4%20%2B", answer.Headers["Snapshot-Manifest"]);
        Assert.Equal(_scene.Database.IdText, answer.Headers["Database-Id"]);
        Assert.Equal("1000", answer.Headers["Content-Length"]);
        Assert.Equal(204, (await GetAsync("?stream=K%C3%B6nto%2F1%20%F0%9F%90%A6")).Answer.Status);
        Assert.Equal(
            """[{"number":7,"ticks":"638000000000000001","size":1000,"serializer":-3,"manifest":"Mä +"}]""",
            (await ListAsync("?stream=k%C3%B6nto%2F1%20%F0%9F%90%A6")).GetRawText()
        );
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(Limits.SnapshotSharedChunkBytes)]
    [InlineData(Limits.SnapshotChunkBytes - 1)]
    [InlineData(Limits.SnapshotChunkBytes)]
    [InlineData(Limits.SnapshotChunkBytes + 1)]
    [InlineData(2 * Limits.SnapshotChunkBytes)]
    [InlineData(LimitBytes)]
    public async Task A_snapshot_of_any_size_comes_back_byte_by_byte(int size)
    {
        byte[] bytes = Bytes(size, size);

        Assert.Equal(201, await PutAsync("?stream=a&number=1", bytes));

        var (answer, read) = await GetAsync("?stream=a");
        Assert.Equal(200, answer.Status);
        Same(bytes, read);
    }

    [Fact]
    public async Task While_others_write_a_snapshot_is_stored_in_small_chunks()
    {
        byte[] bytes = Bytes(1, 300_000);
        await _scene.PutAsync([("users/1", "{}")]);

        Assert.Equal(201, await PutAsync("?stream=a&number=1", bytes));

        Assert.Equal(5, Chunks());
        Same(bytes, (await GetAsync("?stream=a")).Read);
    }

    [Fact]
    public async Task A_snapshot_over_the_limit_is_refused_and_leaves_nothing()
    {
        var announced = await _scene.SendAsync(
            "PUT",
            "/snapshots",
            "?stream=a&number=1",
            headers: new Dictionary<string, string> { ["Content-Length"] = $"{LimitBytes + 1}" },
            upload: new UploadStream([], _ => throw new InvalidOperationException("The body was read."))
        );
        var streamed = await _scene.SendAsync(
            "PUT",
            "/snapshots",
            "?stream=a&number=1",
            upload: new UploadStream(new byte[LimitBytes + 1])
        );

        foreach (var refused in new[] { announced, streamed })
        {
            Assert.Equal(413, refused.Status);
            Assert.Contains($"{LimitBytes:N0} bytes (Limits.MaxSnapshotSizeInMb)", refused.Text, StringComparison.Ordinal);
        }
        await Eventually.IsAsync(() => Chunks() == 0 && Leftovers() == 0);
        Assert.Equal(204, (await GetAsync("?stream=a")).Answer.Status);
    }

    [Fact]
    public async Task A_client_that_goes_away_in_the_middle_leaves_nothing()
    {
        Assert.Equal(201, await PutAsync("?stream=a&number=1", [1]));
        var before = new TaskCompletionSource();
        var upload = new UploadStream(
            new byte[LimitBytes],
            position =>
            {
                if (position < LimitBytes - (1 << 20))
                    return Task.CompletedTask;
                Assert.True(Chunks() > 1);
                before.TrySetResult();
                throw new ConnectionResetException("The connection was reset.");
            }
        );

        await _scene.SendAsync("PUT", "/snapshots", "?stream=a&number=1", upload: upload);

        await before.Task;
        await Eventually.IsAsync(() => Chunks() == 1 && Leftovers() == 0);
        Assert.Equal([1], (await GetAsync("?stream=a")).Read);
    }

    [Fact]
    public async Task More_uploads_at_a_time_than_a_database_takes_are_told_to_come_again_and_store_nothing()
    {
        var readsOn = new TaskCompletionSource();
        var begun = new CountdownEvent(Limits.MaxSnapshotUploads);
        var uploads = Enumerable
            .Range(1, Limits.MaxSnapshotUploads)
            .Select(number =>
                _scene.SendAsync("PUT", "/snapshots", $"?stream=a&number={number}", upload: new UploadStream([1], _ => Begin()))
            )
            .ToArray();
        Assert.True(begun.Wait(Eventually.Patience));

        var refused = await _scene.SendAsync(
            "PUT",
            "/snapshots",
            "?stream=a&number=9000",
            upload: new UploadStream([1], _ => Task.CompletedTask)
        );

        Assert.Equal((503, "1"), (refused.Status, refused.Headers["Retry-After"]));
        Assert.Contains($"{Limits.MaxSnapshotUploads} uploads of snapshots", refused.Text, StringComparison.Ordinal);
        Assert.Contains("Limits.MaxSnapshotUploads", refused.Text, StringComparison.Ordinal);
        readsOn.SetResult();
        Assert.All(await Task.WhenAll(uploads), answer => Assert.Equal(201, answer.Status));
        Assert.Equal(201, await PutAsync("?stream=a&number=9001", [1]));
        Assert.Equal(204, (await GetAsync("?stream=a&minNumber=9000&maxNumber=9000")).Answer.Status);

        Task Begin()
        {
            if (!begun.IsSet)
                begun.Signal();
            return readsOn.Task;
        }
    }

    [Fact]
    public async Task The_newest_put_replaces_the_snapshot_with_its_number()
    {
        byte[] large = Bytes(1, 6 << 20);
        byte[] other = Bytes(2, 5 << 20);
        Assert.Equal(201, await PutAsync("?stream=a&number=1&manifest=old", large));
        Assert.Equal(201, await PutAsync("?stream=a&number=1", other));
        Same(other, (await GetAsync("?stream=a")).Read);
        Assert.Equal(201, await PutAsync("?stream=a&number=1", [9]));

        var (answer, read) = await GetAsync("?stream=a");

        Assert.Equal([9], read);
        Assert.Equal("", answer.Headers["Snapshot-Manifest"]);
        await Eventually.IsAsync(() => Chunks() == 1 && Leftovers() == 0);
    }

    [Fact]
    public async Task Of_two_uploads_at_once_the_one_that_ends_last_wins_whole()
    {
        var readsOn = new TaskCompletionSource();
        var waits = new TaskCompletionSource();
        byte[] slow = Bytes(1, 9 << 20);
        byte[] quick = Bytes(2, 10 << 20);
        var first = _scene.SendAsync(
            "PUT",
            "/snapshots",
            "?stream=a&number=1",
            upload: new UploadStream(
                slow,
                position =>
                {
                    if (position < 8 << 20)
                        return Task.CompletedTask;
                    waits.TrySetResult();
                    return readsOn.Task;
                }
            )
        );
        await waits.Task;

        Assert.Equal(201, await PutAsync("?stream=a&number=1", quick));
        Same(quick, (await GetAsync("?stream=a")).Read);
        readsOn.SetResult();
        Assert.Equal(201, (await first).Status);

        Same(slow, (await GetAsync("?stream=a")).Read);
        await Eventually.IsAsync(() => Leftovers() == 0);
    }

    [Theory]
    [InlineData("PUT")]
    [InlineData("DELETE")]
    public async Task A_slow_download_gets_the_whole_of_a_snapshot_that_is_replaced_or_deleted_meanwhile(string method)
    {
        byte[] old = Bytes(1, 9 << 20);
        await PutAsync("?stream=a&number=1", old);
        var stopped = new TaskCompletionSource();
        var goesOn = new TaskCompletionSource();
        var answer = new AnswerStream(
            keeps: true,
            write =>
            {
                if (write != 2)
                    return Task.CompletedTask;
                stopped.SetResult();
                return goesOn.Task;
            }
        );
        var download = _scene.SendAsync("GET", "/snapshots", "?stream=a", answer: answer);
        await stopped.Task;

        byte[] other = Bytes(2, 9 << 20);
        if (method == "PUT")
            await PutAsync("?stream=a&number=1", other);
        else
            await DeleteAsync("?stream=a&number=1");
        // A cleaning in between leaves what the download reads: an upload that is cut makes one run to its end.
        await _scene.SendAsync("PUT", "/snapshots", "?stream=b&number=1", upload: new UploadStream(new byte[LimitBytes + 1]));
        await Eventually.IsAsync(() => Leftovers() == 1);
        goesOn.SetResult();

        Assert.False((await download).WasAborted);
        Same(old, answer.Kept);
        await Eventually.IsAsync(() => Leftovers() == 0);
        Assert.Equal(method == "PUT" ? 3 : 0, Chunks());
    }

    [Fact]
    public async Task A_download_that_lasts_too_long_after_the_replacement_is_cut_and_never_mixed()
    {
        byte[] old = Bytes(1, 9 << 20);
        await PutAsync("?stream=a&number=1", old);
        var stopped = new TaskCompletionSource();
        var goesOn = new TaskCompletionSource();
        var answer = new AnswerStream(
            keeps: true,
            write =>
            {
                if (write != 2)
                    return Task.CompletedTask;
                stopped.SetResult();
                return goesOn.Task;
            }
        );
        var download = _scene.SendAsync("GET", "/snapshots", "?stream=a", answer: answer);
        await stopped.Task;

        await PutAsync("?stream=a&number=1", Bytes(2, 9 << 20));
        _scene.Clock.Jump(Limits.MaxReplacedSnapshotAge + TimeSpan.FromMinutes(1));
        _scene.Database.Snapshots.NoteLeftover();
        await Eventually.IsAsync(() => Leftovers() == 0);
        goesOn.SetResult();
        await download;

        // Without a network an error follows the two pieces that were sent, where a server breaks the connection.
        byte[] kept = answer.Kept;
        int sent = 2 * Limits.SnapshotPieceBytes;
        Same(old[..sent], kept[..sent]);
        Assert.Contains(
            "Snapshot 1 was replaced or deleted during its download",
            Encoding.UTF8.GetString(kept[sent..]),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task The_highest_number_within_the_bounds_is_found_and_listed_first()
    {
        for (int number = 0; number <= 5; number++)
            await PutAsync($"?stream=a&number={number}&ticks={100 + number}", [(byte)number]);
        await PutAsync("?stream=aa&number=9", [9]);
        await PutAsync($"?stream=a&number={long.MaxValue}&ticks={DateTime.MaxValue.Ticks}", [77]);

        Assert.Equal("77", await NewestAsync(""));
        Assert.Equal("5", await NewestAsync($"&maxNumber={long.MaxValue - 1}"));
        Assert.Equal("3", await NewestAsync("&maxNumber=3"));
        Assert.Equal("3", await NewestAsync("&maxTicks=103"));
        Assert.Equal("2", await NewestAsync("&maxTicks=103&maxNumber=2"));
        Assert.Equal("77", await NewestAsync($"&minTicks={DateTime.MaxValue.Ticks}"));
        Assert.Equal("none", await NewestAsync("&minTicks=106&maxNumber=5"));
        Assert.Equal("0", await NewestAsync("&maxNumber=0"));
        Assert.Equal("none", await NewestAsync("&maxTicks=99"));
        Assert.Equal("4 3 2", Numbers(await ListAsync("?stream=a&minNumber=2&maxTicks=104")));
        Assert.Equal("5 4", Numbers(await ListAsync($"?stream=a&maxNumber={long.MaxValue - 1}&max=2", isEnd: false)));
        Assert.Equal("", Numbers(await ListAsync("?stream=unknown")));
    }

    [Fact]
    public async Task A_deletion_of_one_snapshot_can_be_guarded_by_its_ticks()
    {
        await PutAsync("?stream=a&number=1&ticks=100", [1]);

        Assert.Equal(0, await DeleteAsync("?stream=a&number=1&ticks=99"));
        Assert.Equal(0, await DeleteAsync("?stream=a&number=1&ticks=101"));
        Assert.Equal(0, await DeleteAsync("?stream=a&number=1&maxTicks=99"));
        Assert.Equal(0, await DeleteAsync("?stream=a&number=2&ticks=100"));
        Assert.Equal("1", await NewestAsync(""));
        Assert.Equal(1, await DeleteAsync("?stream=a&number=1&ticks=100"));
        Assert.Equal("none", await NewestAsync(""));
        Assert.Equal(0, await DeleteAsync("?stream=a&number=1"));
        await PutAsync("?stream=a&number=1&ticks=100", [1]);
        Assert.Equal(1, await DeleteAsync("?stream=a&number=1&maxTicks=100"));
    }

    [Fact]
    public async Task Ten_thousand_snapshots_of_one_stream_are_listed_and_deleted_by_bounds()
    {
        foreach (var some in Enumerable.Range(1, 10_000).Chunk(500))
            Assert.All(
                await Task.WhenAll(some.Select(n => PutAsync($"?stream=a&number={n}&ticks={n}", [1]))),
                status => Assert.Equal(201, status)
            );
        await PutAsync("?stream=b&number=5000&ticks=5000", [1]);

        Assert.Equal(10_000, (await ListAsync("?stream=a&max=20000")).GetArrayLength());
        Assert.Equal(1000, (await ListAsync("?stream=a", isEnd: false)).GetArrayLength());
        Assert.Equal(8_000, await DeleteAsync("?stream=a&minTicks=1001&maxNumber=9000"));
        Assert.Equal(2_000, (await ListAsync("?stream=a&max=20000")).GetArrayLength());
        Assert.Equal("1000", await NewestAsync("&maxNumber=9000"));
        Assert.Equal(
            9001,
            (await ListAsync("?stream=a&minNumber=1001&max=20000")).EnumerateArray().Last().GetProperty("number").GetInt64()
        );
        Assert.Equal(2_000, await DeleteAsync("?stream=a&minNumber=0"));
        Assert.Equal(1, Chunks());
    }

    [Fact]
    public async Task A_compressed_body_is_stored_as_what_it_says()
    {
        byte[] bytes = Bytes(1, 200_000);
        var compressed = new MemoryStream();
        using (var gzip = new GZipStream(compressed, CompressionLevel.Fastest, leaveOpen: true))
            gzip.Write(bytes);
        var encoded = new Dictionary<string, string> { ["Content-Encoding"] = "gzip" };

        var stored = await _scene.SendAsync(
            "PUT",
            "/snapshots",
            "?stream=a&number=1",
            headers: encoded,
            upload: new UploadStream(compressed.ToArray())
        );
        var broken = await _scene.SendAsync(
            "PUT",
            "/snapshots",
            "?stream=a&number=2",
            headers: encoded,
            upload: new UploadStream([1, 2, 3])
        );

        Assert.Equal(201, stored.Status);
        Assert.Equal(400, broken.Status);
        Same(bytes, (await GetAsync("?stream=a")).Read);
    }

    [Theory]
    [InlineData("PUT", "?number=1", "stream")]
    [InlineData("PUT", "?stream=&number=1", "stream")]
    [InlineData("PUT", "?stream=a", "number")]
    [InlineData("PUT", "?stream=a&number=-1", "number")]
    [InlineData("PUT", "?stream=a&number=9223372036854775808", "number")]
    [InlineData("PUT", "?stream=a&number=1&ticks=3155378976000000000", "ticks")]
    [InlineData("PUT", "?stream=a&number=1&serializer=2147483648", "serializer")]
    [InlineData("GET", "", "stream")]
    [InlineData("GET", "?stream=a&minNumber=-1", "minNumber")]
    [InlineData("DELETE", "?stream=a", "minNumber")]
    [InlineData("DELETE", "?stream=a&number=", "number")]
    [InlineData("DELETE", "?stream=a&ticks=1", "ticks")]
    [InlineData("DELETE", "?stream=a&number=1&minNumber=1", "minNumber")]
    public async Task A_parameter_that_breaks_a_rule_is_named(string method, string query, string named)
    {
        await PutAsync("?stream=a&number=1", [1]);

        var refused = await _scene.SendAsync(method, "/snapshots", query);

        Assert.Equal(400, refused.Status);
        Assert.Contains(named, refused.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
        Assert.Equal("1", await NewestAsync(""));
    }

    [Fact]
    public async Task Texts_have_a_thousand_bytes_at_most()
    {
        string longest = new('s', 1000);
        Assert.Equal(201, await PutAsync($"?stream={longest}&number=1&manifest={longest}", [1]));
        Assert.Equal(longest, (await GetAsync($"?stream={longest}")).Answer.Headers["Snapshot-Manifest"]);
        Assert.Equal(400, await PutAsync($"?stream={longest}s&number=1", [1]));
        Assert.Equal(400, await PutAsync($"?stream=a&number=1&manifest={longest}m", [1]));
    }

    internal static byte[] Bytes(int seed, int length)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    private static void Same(byte[] expected, byte[] read) => Assert.True(expected.AsSpan().SequenceEqual(read));

    private static string Numbers(JsonElement snapshots) =>
        string.Join(' ', snapshots.EnumerateArray().Select(snapshot => snapshot.GetProperty("number").GetRawText()));

    private async Task<int> PutAsync(string query, byte[] bytes) =>
        (await _scene.SendAsync("PUT", "/snapshots", query, upload: new UploadStream(bytes))).Status;

    private async Task<(ServedAnswer Answer, byte[] Read)> GetAsync(string query)
    {
        var read = new AnswerStream(keeps: true);
        var answer = await _scene.SendAsync("GET", "/snapshots", query, answer: read);
        return (answer, read.Kept);
    }

    private async Task<string> NewestAsync(string bounds)
    {
        var (answer, _) = await GetAsync("?stream=a" + bounds);
        return answer.Status == 204 ? "none"
            : answer.Headers["Snapshot-Number"] == $"{long.MaxValue}" ? "77"
            : answer.Headers["Snapshot-Number"];
    }

    private async Task<JsonElement> ListAsync(string query, bool isEnd = true)
    {
        var answer = await _scene.SendAsync("GET", "/snapshots/list", query);
        Assert.Equal(200, answer.Status);
        Assert.Equal(_scene.Database.IdText, answer.Json.GetProperty("databaseId").GetString());
        Assert.Equal(isEnd, answer.Json.GetProperty("isEnd").GetBoolean());
        return answer.Json.GetProperty("snapshots");
    }

    private async Task<long> DeleteAsync(string query)
    {
        var answer = await _scene.SendAsync("DELETE", "/snapshots", query);
        Assert.Equal(200, answer.Status);
        return answer.Json.GetProperty("deleted").GetInt64();
    }

    private long Chunks() => Count(trees => trees.Chunks.EntryCount);

    private long Leftovers() => Count(trees => trees.Leftovers.EntryCount);

    private long Count(Func<SnapshotTrees, long> count)
    {
        using var reader = _scene.Database.OpenRead("test");
        return SnapshotTrees.Of(reader.Of(SnapshotsRoom.Instance)) is { } trees ? count(trees) : 0;
    }
}

using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Tests.Endpoints.Operations;

public sealed class RepeatedRequestsTests
{
    [Fact]
    public async Task A_request_sent_again_gets_the_first_result()
    {
        var requests = new RepeatedRequests();
        var runs = 0;

        Assert.Equal(1, await requests.RunOnceAsync("id", "next", () => Task.FromResult(++runs)));
        Assert.Equal(1, await requests.RunOnceAsync("ID", "next", () => Task.FromResult(++runs)));
        Assert.Equal(2, await requests.RunOnceAsync("id", "seed", () => Task.FromResult(++runs)));
        Assert.Equal(3, await requests.RunOnceAsync(null, "next", () => Task.FromResult(++runs)));
    }

    [Fact]
    public async Task A_request_that_failed_may_be_sent_again()
    {
        var requests = new RepeatedRequests();

        await Assert.ThrowsAsync<IOException>(() => requests.RunOnceAsync<int>("id", "next", () => throw new IOException("no")));
        Assert.Equal(5, await requests.RunOnceAsync("id", "next", () => Task.FromResult(5)));
    }

    [Fact]
    public async Task Requests_that_wait_for_one_that_fails_get_an_exception_each()
    {
        var requests = new RepeatedRequests();
        var work = new TaskCompletionSource<int>();
        var first = requests.RunOnceAsync("id", "next", () => work.Task);
        var repeated = Enumerable.Range(0, 2).Select(_ => requests.RunOnceAsync("id", "next", () => Task.FromResult(1))).ToArray();
        var cause = new IOException("no");
        work.SetException(cause);
        Assert.Same(cause, await Assert.ThrowsAsync<IOException>(() => first));
        var second = await Assert.ThrowsAsync<RepeatedRequestException>(() => repeated[0]);
        var third = await Assert.ThrowsAsync<RepeatedRequestException>(() => repeated[1]);
        Assert.NotSame(second, third);
        Assert.All([second, third], error => Assert.Same(cause, error.InnerException));
    }

    [Fact]
    public async Task Only_the_latest_are_remembered()
    {
        var requests = new RepeatedRequests();
        for (var i = 0; i <= RepeatedRequests.Remembered; i++)
            await requests.RunOnceAsync($"id{i}", "next", () => Task.FromResult(i));

        Assert.Equal(-1, await requests.RunOnceAsync("id0", "next", () => Task.FromResult(-1)));
        Assert.Equal(5, await requests.RunOnceAsync("id5", "next", () => Task.FromResult(-1)));
    }
}

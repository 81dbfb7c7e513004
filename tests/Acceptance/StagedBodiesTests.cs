using System.Diagnostics;
using System.IO.Pipelines;
using System.Net;
using System.Text;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>Large request bodies on their way to the server take a bounded part of the disk.</summary>
public sealed class StagedBodiesTests : IDisposable
{
    private readonly HttpClient _client = new();

    public void Dispose() => _client.Dispose();

    [Fact]
    public async Task A_large_body_beyond_what_all_may_take_together_is_refused_with_503_and_accepted_when_the_others_are_done()
    {
        await using var server = await ServerUnderTest.StartAsync("--Limits.StagingThresholdInKb=64", "--Limits.MaxRequestBodySizeInMb=1", "--Limits.MaxStagedBodiesSizeInMb=1");
        (await _client.PutAsync($"{server.Url}/admin/databases?name=db", new StringContent("""{"DatabaseName":"db"}"""))).EnsureSuccessStatusCode();
        var document = Encoding.ASCII.GetBytes($"{{\"text\":\"{new string('x', 700_000)}\"}}");

        // All but its last byte, which is a while in coming.
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        var slow = _client.PutAsync($"{server.Url}/databases/db/docs?id=slow", new StreamContent(pipe.Reader.AsStream()));
        await pipe.Writer.WriteAsync(document.AsMemory(0, document.Length - 1));

        HttpStatusCode status;
        string answer;
        TimeSpan? retryAfter;
        var waited = Stopwatch.StartNew();
        do
        {
            // It has perhaps not arrived yet.
            using var other = await _client.PutAsync($"{server.Url}/databases/db/docs?id=other", new ByteArrayContent(document));
            (status, answer, retryAfter) = (other.StatusCode, await other.Content.ReadAsStringAsync(), other.Headers.RetryAfter?.Delta);
        }
        while (status == HttpStatusCode.Created && waited.Elapsed < TimeSpan.FromSeconds(20));
        Assert.Equal(HttpStatusCode.ServiceUnavailable, status);
        Assert.Contains("Limits.MaxStagedBodiesSizeInMb", answer);
        Assert.Equal(TimeSpan.FromSeconds(1), retryAfter);
        // Small ones are not concerned.
        Assert.Equal(HttpStatusCode.Created, (await _client.PutAsync($"{server.Url}/databases/db/docs?id=small", new StringContent("{}"))).StatusCode);

        await pipe.Writer.WriteAsync(document.AsMemory(document.Length - 1));
        await pipe.Writer.CompleteAsync();
        Assert.Equal(HttpStatusCode.Created, (await slow).StatusCode);
        using var again = await _client.PutAsync($"{server.Url}/databases/db/docs?id=late", new ByteArrayContent(document));
        Assert.Equal(HttpStatusCode.Created, again.StatusCode);
    }
}

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
        await using var server = await ServerUnderTest.StartAsync(
            "--Limits.StagingThresholdInKb=64",
            "--Limits.MaxRequestBodySizeInMb=1",
            "--Limits.MaxStagedBodiesSizeInMb=1"
        );
        (
            await _client.PutAsync($"{server.Url}/admin/databases?name=db", new StringContent("""{"DatabaseName":"db"}"""))
        ).EnsureSuccessStatusCode();
        var document = Encoding.ASCII.GetBytes($"{{\"text\":\"{new string('x', 700_000)}\"}}");

        var (slow, pipe) = await BeginSlowAsync(server, document);
        using (var other = await _client.PutAsync($"{server.Url}/databases/db/docs?id=other", new ByteArrayContent(document)))
        {
            Assert.Equal(HttpStatusCode.ServiceUnavailable, other.StatusCode);
            Assert.Contains("Limits.MaxStagedBodiesSizeInMb", await other.Content.ReadAsStringAsync());
            Assert.Equal(TimeSpan.FromSeconds(1), other.Headers.RetryAfter?.Delta);
        }
        // Small ones are not concerned.
        Assert.Equal(
            HttpStatusCode.Created,
            (await _client.PutAsync($"{server.Url}/databases/db/docs?id=small", new StringContent("{}"))).StatusCode
        );

        await pipe.Writer.WriteAsync(document.AsMemory(document.Length - 1));
        await pipe.Writer.CompleteAsync();
        Assert.Equal(HttpStatusCode.Created, (await slow).StatusCode);
        using var again = await _client.PutAsync($"{server.Url}/databases/db/docs?id=late", new ByteArrayContent(document));
        Assert.Equal(HttpStatusCode.Created, again.StatusCode);
    }

    /// <summary>Sends a document but for its last byte, which is a while in coming, and returns when the server has staged nearly
    /// all of it.</summary>
    private async Task<(Task<HttpResponseMessage> Answer, Pipe Pipe)> BeginSlowAsync(ServerUnderTest server, byte[] document)
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        var answer = _client.PutAsync($"{server.Url}/databases/db/docs?id=slow", new StreamContent(pipe.Reader.AsStream()));
        await pipe.Writer.WriteAsync(document.AsMemory(0, document.Length - 1));
        await Eventually.IsAsync(() => StagedBytes(server) >= document.Length - 64_000);
        return (answer, pipe);
    }

    /// <summary>The files have no names any more; the process has them open.</summary>
    private static long StagedBytes(ServerUnderTest server) =>
        Directory
            .EnumerateFiles($"/proc/{server.ProcessId}/fd")
            .Sum(file =>
            {
                try
                {
                    if (
                        File.ResolveLinkTarget(file, returnFinalTarget: false)?.FullName.Contains(".staged", StringComparison.Ordinal)
                        != true
                    )
                        return 0;
                    using var staged = new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
                    return staged.Length;
                }
                catch (FileNotFoundException)
                {
                    // Closed since it was listed.
                    return 0;
                }
            });
}

using Azure.Core;
using Azure.Core.Pipeline;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.AzureQueues;

/// <summary>The pause that Azure asks for in a refusal, which the client library's errors do not tell. Sees every answer of an
/// account.</summary>
internal sealed class AskedPause(TimeProvider clock) : HttpPipelinePolicy
{
    private static readonly string[] s_millisecondHeaders = ["x-ms-retry-after-ms", "retry-after-ms"];

    private long _ticks;

    /// <summary>The last one asked for since <see cref="Forget"/>; null when none was.</summary>
    public TimeSpan? Last => Interlocked.Read(ref _ticks) is > 0 and var ticks ? TimeSpan.FromTicks(ticks) : null;

    public void Forget() => Interlocked.Exchange(ref _ticks, 0);

    public override void Process(HttpMessage message, ReadOnlyMemory<HttpPipelinePolicy> pipeline)
    {
        ProcessNext(message, pipeline);
        Look(message);
    }

    public override async ValueTask ProcessAsync(HttpMessage message, ReadOnlyMemory<HttpPipelinePolicy> pipeline)
    {
        await ProcessNextAsync(message, pipeline).ConfigureAwait(false);
        Look(message);
    }

    private void Look(HttpMessage message)
    {
        var response = message.Response;
        if (response.Status < 400)
            return;
        TimeSpan? pause = response.Headers.TryGetValue("Retry-After", out string? text) ? RetryPause.Of(text, clock) : null;
        foreach (string name in s_millisecondHeaders)
        {
            if (response.Headers.TryGetValue(name, out string? milliseconds))
                pause = RetryPause.OfMilliseconds(milliseconds) ?? pause;
        }
        if (pause is { } asked)
            Interlocked.Exchange(ref _ticks, asked.Ticks);
    }
}

using System.Diagnostics;
using System.Globalization;
using System.Net.Http.Headers;
using System.Text.Json;
using Jackdaw.FunctionHost.Apps;
using Jackdaw.FunctionHost.Handlers;

namespace Jackdaw.FunctionHost.Invoking;

/// <summary>Runs functions: sends an invocation to the handler, passes its outputs on, and says a line about how it ended.
/// Thread-safe.</summary>
internal sealed class Invoker(FunctionApp app, HandlerProcess handler, HostLog log) : IDisposable
{
    private const int MaxShownAnswer = 500;

    private readonly HttpClient _http = new() { Timeout = Timeout.InfiniteTimeSpan };
    private readonly QueueOutputs _outputs = new(app.Host.Queues);

    /// <summary>Ends once the handler answers.</summary>
    public Task HandlerAsync(CancellationToken cancel) => handler.AddressAsync(cancel);

    /// <summary>Runs a function, again and again where its retry policy says so. False: it failed. Throws
    /// <see cref="OperationCanceledException"/> when the host stops; then nothing is known.</summary>
    public async Task<bool> RunAsync(Invocation invocation, CancellationToken stop)
    {
        var retry = invocation.Function.Retry;
        for (var retries = 0; ; retries++)
        {
            if (retries > 0)
                invocation.With(
                    "RetryContext",
                    new System.Text.Json.Nodes.JsonObject { ["RetryCount"] = retries, ["MaxRetryCount"] = retry.MaxRetryCount }
                );
            if (await RunOnceAsync(invocation, stop))
                return true;
            if (!retry.Allows(retries))
                return false;
            await Task.Delay(retry.DelayOf(retries), stop);
        }
    }

    public void Dispose() => _http.Dispose();

    private async Task<bool> RunOnceAsync(Invocation invocation, CancellationToken stop)
    {
        var id = Guid.NewGuid();
        var began = Stopwatch.GetTimestamp();
        string? reason = null;
        try
        {
            await InvokeAsync(invocation, id, stop);
        }
        catch (InvocationFailedException e)
        {
            reason = e.Message;
        }
        var (outcome, why) = reason is null ? ("Succeeded", "") : ("Failed", $": {reason}");
        log.Say(
            string.Create(
                CultureInfo.InvariantCulture,
                $"Executed 'Functions.{invocation.Function.Name}' ({outcome}, Id={id}, Duration={Stopwatch.GetElapsedTime(began).TotalMilliseconds:0}ms){why}"
            )
        );
        return reason is null;
    }

    private async Task InvokeAsync(Invocation invocation, Guid id, CancellationToken stop)
    {
        var address = await handler.AddressAsync(stop);
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(stop);
        if (app.Host.FunctionTimeout is { } timeout)
            deadline.CancelAfter(timeout);
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(address, invocation.Function.Name))
        {
            Content = new ReadOnlyMemoryContent(invocation.ToJson())
            {
                Headers = { ContentType = new MediaTypeHeaderValue("application/json", "utf-8") },
            },
        };
        request.Headers.Add("X-Azure-Functions-InvocationId", id.ToString());
        request.Headers.Add("X-Azure-Functions-HostVersion", "stand-in");
        try
        {
            using var answer = await _http.SendAsync(request, deadline.Token);
            var text = await answer.Content.ReadAsStringAsync(deadline.Token);
            if (!answer.IsSuccessStatusCode)
                throw new InvocationFailedException($"the handler answered {(int)answer.StatusCode}: {Shown(text)}");
            await AcceptAsync(invocation.Function, text, deadline.Token);
        }
        catch (OperationCanceledException e) when (!stop.IsCancellationRequested)
        {
            // The real host ends the handler's process, too: there is no other way to end the function.
            handler.Kill();
            throw new InvocationFailedException(
                $"the function ran longer than functionTimeout ({app.Host.FunctionTimeout}); the handler is ended",
                e
            );
        }
        catch (Exception e) when (e is HttpRequestException or IOException && !stop.IsCancellationRequested)
        {
            throw new InvocationFailedException($"the handler does not answer: {e.Message}", e);
        }
        catch (Exception e) when (e is HttpRequestException or IOException)
        {
            throw new OperationCanceledException("The host stops.", e, stop);
        }
    }

    /// <summary>Reads the answer and passes its outputs on; a function whose outputs cannot be stored has failed.</summary>
    private async Task AcceptAsync(Function function, string text, CancellationToken cancel)
    {
        using var answer = Parse(text);
        if (answer.RootElement.TryGetProperty("Logs", out var lines) && lines.ValueKind == JsonValueKind.Array)
        {
            foreach (var line in lines.EnumerateArray())
                log.Say($"[Functions.{function.Name}] {line}");
        }
        foreach (var output in function.Outputs)
        {
            if (ValueOf(answer.RootElement, output.Name) is { } value)
                await _outputs.SendAsync(function, output, value, cancel);
        }
    }

    private static JsonElement? ValueOf(JsonElement answer, string name)
    {
        if (name == "$return")
            return answer.TryGetProperty("ReturnValue", out var returned) && returned.ValueKind != JsonValueKind.Null ? returned : null;
        return
            answer.TryGetProperty("Outputs", out var outputs)
            && outputs.ValueKind == JsonValueKind.Object
            && outputs.TryGetProperty(name, out var value)
            && value.ValueKind != JsonValueKind.Null
            ? value
            : null;
    }

    private static JsonDocument Parse(string text)
    {
        try
        {
            var answer = JsonDocument.Parse(text);
            if (answer.RootElement.ValueKind == JsonValueKind.Object)
                return answer;
            answer.Dispose();
        }
        catch (JsonException)
        {
            // Said below.
        }
        throw new InvocationFailedException(
            text.Length == 0
                ? "the handler's answer has no body; an empty JSON object would do, and without one the real host may wait until its time-out"
                : $"the handler's answer is not a JSON object: {Shown(text)}"
        );
    }

    private static string Shown(string text) =>
        (text.Length <= MaxShownAnswer ? text : text[..MaxShownAnswer] + "…").ReplaceLineEndings(" ");
}

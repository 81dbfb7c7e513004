using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Azure;
using Azure.Storage.Queues;
using Jackdaw.FunctionHost.Apps;

namespace Jackdaw.FunctionHost.Invoking;

/// <summary>Writes what functions put out to storage queues, which are made when they are not there.</summary>
internal sealed class QueueOutputs(QueueOptions options)
{
    private readonly ConcurrentDictionary<OutputBinding, QueueClient> _queues = [];

    /// <summary>Writes a value: a text as it is, each element of an array as a message of its own, anything else as JSON. Throws
    /// <see cref="InvocationFailedException"/>.</summary>
    public async Task SendAsync(Function function, OutputBinding output, JsonElement value, CancellationToken cancel)
    {
        var queue = _queues.GetOrAdd(output, _ => Storage.Queue(output.Connection, output.Queue));
        var messages = value.ValueKind == JsonValueKind.Array ? value.EnumerateArray().Select(Text) : [Text(value)];
        try
        {
            await queue.CreateIfNotExistsAsync(cancellationToken: cancel);
            foreach (var message in messages)
                await queue.SendMessageAsync(Encoded(function, output, message), cancel);
        }
        catch (Exception e) when (Storage.HasFailed(e) && !cancel.IsCancellationRequested)
        {
            throw new InvocationFailedException(
                $"the output '{output.Name}' could not be written to the queue '{output.Queue}': {e.Message}",
                e
            );
        }
    }

    private static string Text(JsonElement value) => value.ValueKind == JsonValueKind.String ? value.GetString()! : value.GetRawText();

    private string Encoded(Function function, OutputBinding output, string message)
    {
        var text = options.IsBase64 ? Convert.ToBase64String(Encoding.UTF8.GetBytes(message)) : message;
        return text.Length <= HostLimits.MaxQueueMessageLength
            ? text
            : throw new InvocationFailedException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"the output '{output.Name}' of '{function.Name}' has {text.Length} characters; a queue's message may have {HostLimits.MaxQueueMessageLength}"
                )
            );
    }
}

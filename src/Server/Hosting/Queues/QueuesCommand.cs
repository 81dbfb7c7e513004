using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using Azure;
using Azure.Storage.Queues;
using Azure.Storage.Queues.Models;
using Jackdaw.Documents.Errors;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting.Queues;

/// <summary>Looks at the queues of a storage account and sends poison messages and dead letters again: <c>run queues list|show|redrive</c>.
/// Talks to Azure, not to a server.</summary>
internal sealed class QueuesCommand
{
    private const string Usage =
        "Say what is to be done: run queues list, run queues show QUEUE, or run queues redrive QUEUE; see run queues --help.";

    private readonly QueuesCommandLine _line;
    private readonly QueueAccount _account;
    private readonly TextWriter _output;

    private QueuesCommand(QueuesCommandLine line, QueueAccount account, TextWriter output)
    {
        _line = line;
        _account = account;
        _output = output;
    }

    /// <summary>Returns the process's exit code.</summary>
    /// <exception cref="ConfigurationException">The words make no sense, or no account is named.</exception>
    /// <exception cref="RefusedException">The account refused, or cannot be reached.</exception>
    public static async Task<int> RunAsync(string[] arguments, TextWriter output)
    {
        if (arguments.Any(a => a is "--help" or "-h" or "-?" or "help"))
            return QueuesHelp.Print(output);
        var line = new QueuesCommandLine(arguments);
        Func<QueuesCommand, CancellationToken, Task<int>> what = line.Words switch
        {
            ["list"] => (command, cancel) => command.ListAsync(cancel),
            ["show", var queue] => (command, cancel) => command.ShowAsync(queue, null, cancel),
            ["show", var queue, var id] => (command, cancel) => command.ShowAsync(queue, id, cancel),
            ["redrive", var queue] when line["--dry-run"] => (command, cancel) => command.TryAsync(queue, cancel),
            ["redrive", var queue] => (command, cancel) => command.RedriveAsync(queue, cancel),
            _ => throw new ConfigurationException(Usage),
        };
        _ = line.Max;
        using var interrupted = new CancellationTokenSource();
        // The runtime's own answer would end the process between two steps.
        Action<PosixSignalContext> stop = context =>
        {
            context.Cancel = true;
            interrupted.Cancel();
        };
        using var ctrlC = PosixSignalRegistration.Create(PosixSignal.SIGINT, stop);
        using var terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, stop);
        try
        {
            return await what(new QueuesCommand(line, QueueAccount.Open(line), output), interrupted.Token);
        }
        catch (RequestFailedException e) when (e.ErrorCode == QueueErrorCode.QueueNotFound)
        {
            throw new RefusedException($"There is no queue '{line.Words[1]}' in this account; run queues list shows which there are.", e);
        }
        catch (Exception e) when (QueueAccount.IsOfAzure(e))
        {
            throw QueueAccount.Refused(e, "Nothing was changed");
        }
        catch (OperationCanceledException e) when (interrupted.IsCancellationRequested)
        {
            throw new RefusedException("Interrupted.", e);
        }
    }

    private async Task<int> ListAsync(CancellationToken cancel)
    {
        var table = new TextTable("QUEUE", "MESSAGES", "FIRST SINCE", "WHAT");
        var listed = new List<object>();
        await foreach (var item in _account.Queues.GetQueuesAsync(cancellationToken: cancel))
        {
            var queue = _account.Queues.GetQueueClient(item.Name);
            var count = (await queue.GetPropertiesAsync(cancel)).Value.ApproximateMessagesCount;
            var first = count == 0 ? null : (await queue.PeekMessagesAsync(1, cancel)).Value.FirstOrDefault();
            var age = DateTimeOffset.UtcNow - first?.InsertedOn;
            var what = Kind(item.Name, first);
            table.Add(item.Name, Number(count), age is { } span ? Age.Of(span) : "", what);
            listed.Add(
                new
                {
                    Queue = item.Name,
                    Messages = count,
                    FirstSinceSeconds = age is { } since ? (long?)since.TotalSeconds : null,
                    What = what,
                }
            );
        }
        if (_line["--json"])
            await _output.WriteLineAsync(JsonSerializer.Serialize(listed));
        else
            table.Write(_output);
        return CommandLine.Success;
    }

    private static string Kind(string queue, PeekedMessage? first) =>
        queue.EndsWith(Redelivery.PoisonSuffix, StringComparison.Ordinal) ? $"poison messages of {queue[..^Redelivery.PoisonSuffix.Length]}"
        : first is not null && DeadLetterMessage.Read(first.MessageText) is not null ? "dead letters"
        : "";

    private async Task<int> ShowAsync(string queue, string? id, CancellationToken cancel)
    {
        var messages = await PeekAsync(queue, cancel);
        if (messages.Length == 0)
            throw new RefusedException($"The queue '{queue}' has no message that can be seen now.");
        var message = id is null
            ? messages[0]
            : messages.FirstOrDefault(one => one.MessageId == id)
                ?? throw new RefusedException(
                    $"None of the first {QueueLimits.PageSize} messages of '{queue}' has the id {id}; Azure shows no others."
                );
        var letter = DeadLetterMessage.Read(message.MessageText);
        var body = letter is null ? DeadLetterMessage.Bytes(message.MessageText) : letter.Body ?? await LargeAsync(message, letter, cancel);
        if (_line["--raw"])
        {
            await using var raw = Console.OpenStandardOutput();
            await raw.WriteAsync(body, cancel);
            return CommandLine.Success;
        }
        await _output.WriteLineAsync($"Id:        {message.MessageId}");
        await _output.WriteLineAsync($"Since:     {message.InsertedOn?.ToString("u", CultureInfo.InvariantCulture)}");
        await _output.WriteLineAsync($"Delivered: {Number(message.DequeueCount)} times");
        if (letter is not null)
        {
            await _output.WriteLineAsync(
                $"Function:  {ShownText.Of(letter.Function)}, {ShownText.Of(letter.Consumer)}, at {ShownText.Of(letter.Time)}"
            );
            await _output.WriteLineAsync($"Belongs to the queue {ShownText.Of(letter.Queue)}");
            await _output.WriteLineAsync($"Reason:    {ShownText.Of(letter.Reason)}");
        }
        await _output.WriteLineAsync($"Message, {Number(body.Length)} bytes:");
        await _output.WriteLineAsync(ShownText.Of(Encoding.UTF8.GetString(body)));
        return CommandLine.Success;
    }

    private async Task<byte[]> LargeAsync(PeekedMessage message, DeadLetterMessage letter, CancellationToken cancel)
    {
        try
        {
            return await Redelivery.DownloadAsync(_account.Blobs, letter, cancel);
        }
        catch (RefusedException e)
        {
            throw new RefusedException($"Message {message.MessageId} cannot be shown: {e.Message}. Its reason was: {letter.Reason}", e);
        }
    }

    /// <summary>Says what would be done. Azure shows the first messages only.</summary>
    private async Task<int> TryAsync(string queue, CancellationToken cancel)
    {
        var count = (await _account.Queues.GetQueueClient(queue).GetPropertiesAsync(cancel)).Value.ApproximateMessagesCount;
        var targets = new SortedDictionary<string, int>(StringComparer.Ordinal);
        var seen = await PeekAsync(queue, cancel);
        foreach (var message in seen.Take(_line.Max ?? int.MaxValue))
        {
            var target =
                queue.EndsWith(Redelivery.PoisonSuffix, StringComparison.Ordinal)
                    ? _line.Option("--to") ?? queue[..^Redelivery.PoisonSuffix.Length]
                : DeadLetterMessage.Read(message.MessageText) is { } letter ? _line.Option("--to") ?? letter.Queue
                : "";
            targets[target] = targets.GetValueOrDefault(target) + 1;
        }
        await _output.WriteLineAsync($"About {Number(count)} messages are in '{queue}'. Of the first {Number(targets.Values.Sum())}:");
        foreach (var (target, messages) in targets)
            await _output.WriteLineAsync(
                target.Length == 0
                    ? $"  {Number(messages)} would stay: they are no dead letters of the functions"
                    : $"  {Number(messages)} would be sent to '{target}'"
            );
        return CommandLine.Success;
    }

    private async Task<int> RedriveAsync(string queue, CancellationToken cancel)
    {
        var progress = _line["--json"] ? Console.Error : _output;
        var redrive = new Redrive(_account, queue, _line.Option("--to"), _line.Max, progress, TimeProvider.System);
        var counts = await redrive.RunAsync(cancel);
        if (_line["--json"])
            await _output.WriteLineAsync(JsonSerializer.Serialize(counts));
        else
            await _output.WriteLineAsync(
                $"{Number(counts.Sent)} sent again, {Number(counts.Left)} stay in '{queue}'"
                    + (counts.SentTwice > 0 ? $", {Number(counts.SentTwice)} were sent while somebody else took them." : ".")
                    + (cancel.IsCancellationRequested ? " Interrupted: run it again for the others." : "")
            );
        return counts.Left == 0 && !cancel.IsCancellationRequested ? CommandLine.Success : CommandLine.Failure;
    }

    private async Task<PeekedMessage[]> PeekAsync(string queue, CancellationToken cancel) =>
        (await _account.Queues.GetQueueClient(queue).PeekMessagesAsync(QueueLimits.PageSize, cancel)).Value;

    private static string Number(long number) => number.ToString("N0", CultureInfo.InvariantCulture);
}

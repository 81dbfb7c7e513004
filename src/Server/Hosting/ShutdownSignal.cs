using System.Runtime.InteropServices;
using System.Text;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting;

/// <summary>
/// Waits for a reason to stop: SIGTERM, SIGINT, the line <c>shutdown no-confirmation</c> on standard input; and, when a parent
/// process was named, its end or the end of
/// standard input. Without a parent the end of standard input means nothing, so that the server can run in the background with
/// /dev/null there.
/// Threads: "stdin" reads lines; "parent watch" looks for the parent twice a second.
/// </summary>
internal sealed class ShutdownSignal : IDisposable
{
    private const int ParentPollMs = 500;
    private const int MaxLineCharacters = 256;

    private readonly TaskCompletionSource<string> _requested = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<PosixSignalRegistration> _signals = [];

    /// <summary>Ends with the reason.</summary>
    public Task<string> Requested => _requested.Task;

    public static ShutdownSignal Listen(ServerConfiguration configuration, TextReader standardInput)
    {
        var shutdown = new ShutdownSignal();
        shutdown._signals.Add(PosixSignalRegistration.Create(PosixSignal.SIGTERM, shutdown.OnSignal));
        shutdown._signals.Add(PosixSignalRegistration.Create(PosixSignal.SIGINT, shutdown.OnSignal));
        new Thread(() => shutdown.ReadCommands(standardInput, configuration.ParentProcessId is not null))
        {
            Name = "stdin",
            IsBackground = true,
        }.Start();
        if (configuration.ParentProcessId is { } parent)
            new Thread(() => shutdown.WatchParent(parent)) { Name = "parent watch", IsBackground = true }.Start();
        return shutdown;
    }

    public void Request(string reason) => _requested.TrySetResult(reason);

    public void Dispose()
    {
        foreach (var signal in _signals)
            signal.Dispose();
    }

    private void OnSignal(PosixSignalContext context)
    {
        // The runtime's own answer would end the process before the databases are closed.
        context.Cancel = true;
        Request(context.Signal.ToString());
    }

    private void ReadCommands(TextReader input, bool endsWithInput)
    {
        while (ReadLine(input) is { } line)
        {
            var words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (words.Length > 0 && words[0].Equals("shutdown", StringComparison.OrdinalIgnoreCase))
            {
                Request("the command shutdown");
                return;
            }
            if (words.Length > 0)
                Console.Error.WriteLine($"Unknown command '{line}'; known: shutdown no-confirmation.");
        }
        if (endsWithInput)
            Request("the end of standard input");
    }

    /// <summary>A line, of which what is longer than any command is passed over: standard input may be anything, of any length.
    /// Null at the end.</summary>
    private static string? ReadLine(TextReader input)
    {
        var line = new StringBuilder();
        int one;
        while ((one = input.Read()) >= 0 && one != '\n')
            if (line.Length < MaxLineCharacters && one != '\r')
                line.Append((char)one);
        return one < 0 && line.Length == 0 ? null : line.ToString();
    }

    private void WatchParent(int processId)
    {
        while (!Requested.IsCompleted)
        {
            if (!Directory.Exists($"/proc/{processId}"))
            {
                Request($"the end of parent process {processId}");
                return;
            }
            Thread.Sleep(ParentPollMs);
        }
    }
}

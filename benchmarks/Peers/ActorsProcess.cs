using System.Diagnostics;
using System.Globalization;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.Peers;

/// <summary>
/// The program of benchmarks/Actors, a process of its own because it needs the packages of Akka.NET: an actor system over one journal that
/// runs a row when it is asked to. It ends when its standard input closes.
/// </summary>
internal sealed class ActorsProcess : IAsyncDisposable
{
    private static readonly string s_assembly = Path.Combine(
        Repository.Root,
        "benchmarks",
        "Actors",
        "bin",
        "Release",
        "net10.0",
        "Jackdaw.Bench.Actors.dll"
    );
    private const string Absent = "ABSENT ";
    private static readonly string[] s_ends = ["FAILED", Absent];
    private static readonly TimeSpan s_answerLimit = TimeSpan.FromMinutes(3);
    private readonly Process _process;
    private readonly Task<string> _errors;

    private ActorsProcess(Process process)
    {
        _process = process;
        _errors = process.StandardError.ReadToEndAsync();
    }

    public int Id => _process.Id;

    /// <param name="journal">Its name, and what it needs.</param>
    /// <param name="cancel">Gives up waiting.</param>
    /// <exception cref="ContenderUnavailableException">The program could not be built.</exception>
    /// <exception cref="IOException">It ended before it was ready.</exception>
    public static async Task<ActorsProcess> StartAsync(IEnumerable<string> journal, CancellationToken cancel)
    {
        if (!File.Exists(s_assembly))
            throw new ContenderUnavailableException(
                "Akka.NET cannot be restored here (a folder of its packages can be named by JACKDAW_AKKA_PACKAGES)"
            );
        var actors = new ActorsProcess(
            Process.Start(
                new ProcessStartInfo("dotnet", [s_assembly, .. journal])
                {
                    RedirectStandardInput = true,
                    RedirectStandardOutput = true,
                    RedirectStandardError = true,
                }
            )!
        );
        try
        {
            string line = await actors.NextLineAsync("READY", cancel);
            if (line.StartsWith(Absent, StringComparison.Ordinal))
                throw new ContenderUnavailableException(line[Absent.Length..]);
            return line == "READY" ? actors : throw new IOException(line);
        }
        catch
        {
            await actors.DisposeAsync();
            throw;
        }
    }

    /// <summary>Runs a row for a time, so many events at once.</summary>
    /// <exception cref="IOException">It failed; the message says why.</exception>
    public async Task<ActorsResult> RunAsync(string row, TimeSpan duration, int events, CancellationToken cancel)
    {
        await _process.StandardInput.WriteLineAsync(
            string.Create(CultureInfo.InvariantCulture, $"{row} {duration.TotalSeconds} {events}").AsMemory(),
            cancel
        );
        await _process.StandardInput.FlushAsync(cancel);
        return ActorsResult.Parse(await NextLineAsync("RESULT", cancel));
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.StandardInput.Close();
            using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(20));
            try
            {
                await _process.WaitForExitAsync(limit.Token);
            }
            catch (OperationCanceledException)
            {
                _ = Libc.Kill(_process.Id, Libc.SignalKill);
                await _process.WaitForExitAsync(CancellationToken.None);
            }
        }
        _process.Dispose();
    }

    /// <summary>The next line that begins so, or that tells of a failure. Actor systems write warnings to standard output.</summary>
    private async Task<string> NextLineAsync(string start, CancellationToken cancel)
    {
        using var limited = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        limited.CancelAfter(s_answerLimit);
        List<string> others = [];
        while (await _process.StandardOutput.ReadLineAsync(limited.Token) is { } line)
        {
            if (s_ends.Append(start).Any(end => line.StartsWith(end, StringComparison.Ordinal)))
                return line;
            others.Add(line);
        }
        throw new IOException($"the actor system ended: {string.Join('\n', others.TakeLast(20))}\n{await _errors}");
    }
}

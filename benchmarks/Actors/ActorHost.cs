using System.Diagnostics;
using System.Globalization;
using Akka.Actor;
using Akka.Routing;

namespace Jackdaw.Bench.Actors;

/// <summary>An actor system over one journal, and the measurements of JournalPerfSpec on it.</summary>
internal sealed class ActorHost : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);

    // The system of this process alone: a journal keeps its streams apart from those of other processes by this.
    private readonly string _prefix = Guid.NewGuid().ToString("N")[..8];
    private readonly ActorSystem _system;
    private readonly Dictionary<string, Group> _groups = [];

    private ActorHost(ActorSystem system) => _system = system;

    public static ActorHost Start(string[] args) => new(ActorSystem.Create("bench", Journals.Configuration(args)));

    /// <summary>Runs a row again and again until the time is up; the last one to its end.</summary>
    public async Task<string> AnswerAsync(string line)
    {
        string[] words = line.Split(' ');
        double seconds = double.Parse(words[1], CultureInfo.InvariantCulture);
        int events = int.Parse(words[2], CultureInfo.InvariantCulture);
        try
        {
            Func<Task<Measured>> run = await PrepareAsync(words[0], events);
            var all = new List<Measured>();
            do
            {
                all.Add(await run());
            } while (all.Sum(one => one.Seconds) < seconds);
            double p50 = all.SelectMany(one => one.Latencies).Order().ElementAtOrDefault(all.Sum(one => one.Latencies.Count) / 2);
            return string.Create(
                CultureInfo.InvariantCulture,
                $"RESULT {all.Sum(one => one.Events)} {all.Sum(one => one.Seconds):0.000000} {p50:0.0}"
            );
        }
        catch (Exception error) when (error is BenchFailureException or TimeoutException)
        {
            return "FAILED " + error.Message.ReplaceLineEndings(" ");
        }
    }

    public async ValueTask DisposeAsync() => await _system.Terminate();

    private async Task<Func<Task<Measured>>> PrepareAsync(string row, int events) =>
        row switch
        {
            "persist" => await WriterAsync(row, "p", actors: 1, events),
            "persist-all" => await WriterAsync(row, "pb", actors: 1, events),
            "persist-async" => await WriterAsync(row, "pa", actors: 1, events),
            "persist-all-async" => await WriterAsync(row, "pba", actors: 1, events),
            "group-100" => await WriterAsync(row, "p", actors: 100, events),
            "group-200" => await WriterAsync(row, "p", actors: 200, events),
            "recover-1" => await RecoveryAsync(row, actors: 1, events),
            "recover-4" => await RecoveryAsync(row, actors: 4, events),
            _ => throw new BenchFailureException($"there is no row '{row}'"),
        };

    /// <summary>Actors of their own streams; each gets its share of the events at once, and persists them in the given way.</summary>
    private async Task<Func<Task<Measured>>> WriterAsync(string row, string mode, int actors, int events)
    {
        if (!_groups.TryGetValue(row, out Group? group))
        {
            var finish = new Finish();
            Props props = Props.Create(() => new BenchActor($"{_prefix}-{row}", finish, isGroup: actors > 1, events / actors));
            group = new Group(_system.ActorOf(actors > 1 ? props.WithRouter(new RoundRobinPool(actors)) : props), finish);
            _groups.Add(row, group);
        }
        await Task.CompletedTask;
        return async () =>
        {
            Task<List<double>> done = group.Finish.Begin(actors);
            var clock = Stopwatch.StartNew();
            for (int i = 1; i <= events / actors; i++)
                group.Actors.Tell(actors > 1 ? new Broadcast(new Cmd(mode, i)) : new Cmd(mode, i));
            List<double> latencies = await done.WaitAsync(s_patience);
            double seconds = clock.Elapsed.TotalSeconds;
            group.Actors.Tell(actors > 1 ? new Broadcast(ResetCounter.Instance) : ResetCounter.Instance);
            return new Measured(events / actors * actors, seconds, latencies);
        };
    }

    /// <summary>Actors that recover at the same time, all the events of a stream each.</summary>
    private async Task<Func<Task<Measured>>> RecoveryAsync(string row, int actors, int events)
    {
        string[] ids = [.. Enumerable.Range(1, actors).Select(i => $"{_prefix}-{row}-{i}-{events}")];
        if (_groups.TryAdd(row + events, new Group(ActorRefs.Nobody, new Finish())))
        {
            foreach (string id in ids)
            {
                var written = new Finish();
                IActorRef writer = _system.ActorOf(Props.Create(() => new BenchActor(id, written, false, events)));
                Task<List<double>> done = written.Begin(1);
                for (int i = 1; i <= events; i++)
                    writer.Tell(new Cmd("pba", i));
                await done.WaitAsync(s_patience);
                await writer.GracefulStop(s_patience);
            }
        }
        return async () =>
        {
            var recovered = new Finish();
            Task<List<double>> done = recovered.Begin(actors);
            var clock = Stopwatch.StartNew();
            IActorRef[] readers = [.. ids.Select(id => _system.ActorOf(Props.Create(() => new BenchActor(id, recovered, false, events))))];
            await done.WaitAsync(s_patience);
            double seconds = clock.Elapsed.TotalSeconds;
            foreach (IActorRef reader in readers)
                await reader.GracefulStop(s_patience);
            return new Measured(events * actors, seconds, []);
        };
    }

    private sealed record Group(IActorRef Actors, Finish Finish);

    private sealed record Measured(long Events, double Seconds, IReadOnlyList<double> Latencies);
}

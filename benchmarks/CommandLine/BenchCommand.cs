using System.CommandLine;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.CommandLine;

/// <summary>The command line: <c>list</c>, a command for each group, <c>all</c>, and the hidden <c>peer</c> processes.</summary>
internal static class BenchCommand
{
    private static readonly Option<bool> Quick = new("--quick")
    {
        Description = $"Small sizes and {RunSettings.QuickRuns} rounds: an indication within ten minutes for all",
    };

    private static readonly Option<bool> Large = new("--large") { Description = "Also what takes many minutes; see list" };

    private static readonly Option<int?> Runs = new("--runs") { Description = $"Rounds; default {RunSettings.FullRuns}" };

    private static readonly Option<double?> Seconds = new("--seconds") { Description = "Length of each timed run" };

    private static readonly Option<string> Directory = new("--dir")
    {
        Description = "Where the contenders keep their data meanwhile; default artifacts/bench",
        DefaultValueFactory = _ => Path.Combine(Repository.Root, "artifacts", "bench"),
    };

    private static readonly Option<string?> Json = new("--json") { Description = "Also write every run to this file" };

    public static RootCommand Create()
    {
        var root = new RootCommand("Jackdaw's benchmarks: this project beside its peers, measured in turns in one run.");
        var list = new Command("list", "Lists the benchmarks with what they measure and the figures to reach");
        list.SetAction(_ => List());
        root.Subcommands.Add(list);
        root.Subcommands.Add(
            Group(Catalogue.Storage, "Storage engine and transaction merger, in process", () => Catalogue.InGroup(Catalogue.Storage))
        );
        root.Subcommands.Add(Group(Catalogue.Documents, "The server over HTTP", () => Catalogue.InGroup(Catalogue.Documents)));
        root.Subcommands.Add(Group(Catalogue.Etl, "Tasks, from a document to a queue", () => Catalogue.InGroup(Catalogue.Etl)));
        root.Subcommands.Add(Group(Catalogue.Search, "Indexes and queries over HTTP", () => Catalogue.InGroup(Catalogue.Search)));
        root.Subcommands.Add(Group(Catalogue.Events, "Event streams over HTTP", () => Catalogue.InGroup(Catalogue.Events)));
        root.Subcommands.Add(
            Group(Catalogue.Actors, "Actors of Akka.NET over the plug-in, where Akka restores", () => Catalogue.InGroup(Catalogue.Actors))
        );
        root.Subcommands.Add(
            Group(Catalogue.Cloud, "Functions under the stand-in for their host", () => Catalogue.InGroup(Catalogue.Cloud))
        );
        root.Subcommands.Add(Group("all", "Everything", () => Catalogue.All));
        root.Subcommands.Add(PeerCommand.Create());
        return root;
    }

    private static Command Group(string name, string description, Func<IReadOnlyList<Benchmark>> benchmarks)
    {
        var names = new Argument<string[]>("name") { Description = "Only these benchmarks", Arity = ArgumentArity.ZeroOrMore };
        var command = new Command(name, description) { names, Quick, Large, Runs, Seconds, Directory, Json };
        command.SetAction(
            (parsed, cancel) =>
            {
                bool quick = parsed.GetValue(Quick);
                int runs = parsed.GetValue(Runs) ?? (quick ? RunSettings.QuickRuns : RunSettings.FullRuns);
                if (runs < 1)
                    throw new ArgumentException("--runs must be at least 1");
                var settings = new RunSettings(quick, runs, parsed.GetValue(Seconds), Path.GetFullPath(parsed.GetValue(Directory)!))
                {
                    Large = parsed.GetValue(Large),
                };
                return RunAsync(
                    Select(benchmarks(), parsed.GetValue(names) ?? [], settings.Large),
                    settings,
                    parsed.GetValue(Json),
                    cancel
                );
            }
        );
        return command;
    }

    private static List<Benchmark> Select(IReadOnlyList<Benchmark> benchmarks, string[] names, bool isLarge)
    {
        if (names.Length == 0)
            return [.. benchmarks.Where(b => isLarge || !b.IsLarge)];
        string? unknown = names.FirstOrDefault(n => benchmarks.All(b => b.Name != n));
        if (unknown is not null)
            throw new ArgumentException(
                $"no benchmark here is called {unknown}; there are: {string.Join(", ", benchmarks.Select(b => b.Name))}"
            );
        List<Benchmark> chosen = [.. benchmarks.Where(b => names.Contains(b.Name))];
        return chosen.Find(b => b.IsLarge && !isLarge) is { } large
            ? throw new ArgumentException($"{large.Name} takes many minutes; it runs with --large only")
            : chosen;
    }

    private static int List()
    {
        foreach (Benchmark benchmark in Catalogue.All)
        {
            Console.WriteLine($"{benchmark.Group} {benchmark.Name}{(benchmark.IsLarge ? " --large" : "")}");
            Console.WriteLine($"    {benchmark.Measures}");
            foreach (Target target in benchmark.Targets)
                Console.WriteLine($"    target: {target.Text}");
        }
        return 0;
    }

    /// <summary>Exit code 0: everything ran (figures missed or contenders absent are told, not failed on); 1: a contender failed.</summary>
    private static async Task<int> RunAsync(List<Benchmark> benchmarks, RunSettings settings, string? json, CancellationToken cancel)
    {
        using var workspace = new Workspace(settings.Directory);
        var machine = MachineDescription.Of(workspace.Root);
        var table = new ReportTable();
        table.WriteHeader(machine, settings);
        var runner = new Runner(workspace, settings, new ProgressLine());
        List<BenchmarkResult> results = [];
        foreach (Benchmark benchmark in benchmarks)
        {
            BenchmarkResult result = await runner.RunAsync(benchmark, cancel);
            table.Write(result);
            results.Add(result);
        }
        if (results.Count > 1)
            table.WriteSummary(results);
        if (json is not null)
            ReportJson.Write(json, machine, settings, results);
        return results.Any(r => r.HasFailures) ? 1 : 0;
    }
}

using System.Diagnostics;
using System.Globalization;
using Jackdaw.Documents;
using Jackdaw.Indexing;
using Jackdaw.Simulation.Following;
using Jackdaw.Simulation.Histories;
using Jackdaw.Simulation.Lazy;
using Jackdaw.Simulation.Merging;
using Jackdaw.Simulation.Registry;
using Jackdaw.Storage;

namespace Jackdaw.Simulation;

/// <summary>The command line: runs seeds in parallel, or replays one with everything that happens.</summary>
internal static class SimulationCommand
{
    private const string Usage = """
        dotnet run --project tests/Simulation -c Release -- [--kind Storage|Lazy|Merger|Index|Registry] [--seeds N] [--from S] [--threads T]
            runs N seeds (2,000) from S (0) on T threads (2), of every kind of history or of one
        dotnet run --project tests/Simulation -c Release -- --kind Storage|Lazy|Merger|Index|Registry --replay SEED [--trace]
            runs one seed twice and compares; --trace tells everything that happens
        --planted FAULT
            lets the engine (see PlantedFault, PlantedLazyFault), the merger (see PlantedMergerFault) or an index (see
            PlantedIndexFault) make a mistake that the run should find
        """;

    public static int Run(string[] args, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(args);
        var trace = false;
        HistoryKind? kind = null;
        var planted = PlantedFault.None;
        var plantedLazy = PlantedLazyFault.None;
        var plantedInMerger = PlantedMergerFault.None;
        var plantedInIndex = PlantedIndexFault.None;
        var values = new Dictionary<string, ulong>
        {
            ["--seeds"] = 2000,
            ["--from"] = 0,
            ["--threads"] = 2,
        };
        for (var i = 0; i < args.Length; i++)
        {
            var next = i + 1 < args.Length ? args[i + 1] : "";
            if (args[i] == "--trace")
                trace = true;
            else if (args[i] == "--kind" && Enum.TryParse<HistoryKind>(next, ignoreCase: true, out var named))
                (kind, i) = (named, i + 1);
            else if (args[i] == "--planted" && Enum.TryParse(next, out planted))
                (kind, i) = (HistoryKind.Storage, i + 1);
            else if (args[i] == "--planted" && Enum.TryParse(next, out plantedLazy))
                (kind, i) = (HistoryKind.Lazy, i + 1);
            else if (args[i] == "--planted" && Enum.TryParse(next, out plantedInMerger))
                (kind, i) = (HistoryKind.Merger, i + 1);
            else if (args[i] == "--planted" && Enum.TryParse(next, out plantedInIndex))
                (kind, i) = (kind ?? HistoryKind.Index, i + 1);
            else if (
                args[i] is "--seeds" or "--from" or "--threads" or "--replay"
                && ulong.TryParse(next, NumberStyles.None, CultureInfo.InvariantCulture, out var value)
            )
                values[args[i++]] = value;
            else
            {
                output.WriteLine(Usage);
                return 2;
            }
        }
        var failed = false;
        foreach (var one in kind is { } chosen ? [chosen] : Enum.GetValues<HistoryKind>())
        {
            SeededHistory Make(ulong seed, TextWriter? told) =>
                one switch
                {
                    HistoryKind.Storage => new SimulatedHistory(seed, planted, told),
                    HistoryKind.Lazy => new LazyHistory(seed, plantedLazy, told),
                    HistoryKind.Merger => new MergerHistory(seed, plantedInMerger, told),
                    HistoryKind.Index => new IndexHistory(seed, plantedInIndex, told),
                    _ => new RegistryHistory(seed, plantedInIndex, told),
                };
            output.WriteLine($"{one} histories");
            failed |= values.TryGetValue("--replay", out var seed)
                ? !Replay(seed, told => Make(seed, told), trace, output)
                : !RunMany(values["--from"], (int)values["--seeds"], (int)values["--threads"], seed => Make(seed, null), output);
        }
        return failed ? 1 : 0;
    }

    private static bool Replay(ulong seed, Func<TextWriter?, SeededHistory> make, bool trace, TextWriter output)
    {
        var hashes = new ulong[2];
        for (var run = 0; run < 2; run++)
        {
            using var history = make(trace && run == 0 ? output : null);
            try
            {
                var result = history.Run();
                if (run == 0)
                    output.WriteLine(result.Counts);
            }
            catch (OracleException error)
            {
                output.WriteLine(run == 0 ? error.ToString() : "and fails again");
            }
            hashes[run] = history.Trace.Hash;
        }
        output.WriteLine(
            $"seed {seed}: {hashes[0]:x16}{(hashes[0] == hashes[1] ? ", twice" : $" and then {hashes[1]:x16}: NOT REPEATABLE")}"
        );
        return hashes[0] == hashes[1];
    }

    private static bool RunMany(ulong from, int seeds, int threads, Func<ulong, SeededHistory> make, TextWriter output)
    {
        var watch = Stopwatch.StartNew();
        var told = TimeSpan.Zero;
        var run = new SeedRun { History = make };
        run.Progress = done =>
        {
            if (watch.Elapsed - told < TimeSpan.FromSeconds(5))
                return;
            told = watch.Elapsed;
            output.WriteLine(
                $"{done:N0} of {seeds:N0} seeds, {done / watch.Elapsed.TotalSeconds:N0} "
                    + $"a second, {run.Failures.Count} "
                    + $"failed{(run.Failures.Count > 0 ? ": " + string.Join(' ', run.FailedSeeds.Take(20)) : "")}"
            );
        };
        run.Run(from, seeds, threads);
        foreach (var failure in run.Failures.Take(3))
            output.WriteLine(failure);
        output.WriteLine(run.Counts);
        output.WriteLine(
            $"{seeds:N0} seeds from {from} in {watch.Elapsed.TotalSeconds:N1} s "
                + $"({seeds / watch.Elapsed.TotalSeconds:N0} a second): {run.Failures.Count} "
                + $"failed{(run.Failures.Count > 0 ? ": " + string.Join(' ', run.FailedSeeds.Take(20)) : "")}"
        );
        return run.Failures.Count == 0;
    }
}

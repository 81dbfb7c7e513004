using System.Diagnostics;
using System.Globalization;
using Jackdaw.Simulation.Histories;
using Jackdaw.Storage;

namespace Jackdaw.Simulation;

/// <summary>The command line: runs seeds in parallel, or replays one with everything that happens.</summary>
internal static class SimulationCommand
{
    private const string Usage = """
        dotnet run --project tests/Simulation -c Release -- [--seeds N] [--from S] [--threads T]
            runs N seeds (2,000) from S (0) on T threads (2)
        dotnet run --project tests/Simulation -c Release -- --replay SEED [--trace]
            runs one seed twice and compares; --trace tells everything that happens
        --planted FAULT
            lets the engine make a mistake (see PlantedFault) that the run should find
        """;

    public static int Run(string[] args, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(args);
        var trace = false;
        var planted = PlantedFault.None;
        var values = new Dictionary<string, ulong> { ["--seeds"] = 2000, ["--from"] = 0, ["--threads"] = 2 };
        for (var i = 0; i < args.Length; i++)
        {
            if (args[i] == "--trace")
                trace = true;
            else if (args[i] == "--planted" && i + 1 < args.Length && Enum.TryParse(args[i + 1], out planted))
                i++;
            else if (args[i] is "--seeds" or "--from" or "--threads" or "--replay" && i + 1 < args.Length && ulong.TryParse(args[i + 1], NumberStyles.None, CultureInfo.InvariantCulture, out var value))
                values[args[i++]] = value;
            else
            {
                output.WriteLine(Usage);
                return 2;
            }
        }
        return values.TryGetValue("--replay", out var seed)
            ? Replay(seed, trace, planted, output)
            : RunMany(values["--from"], (int)values["--seeds"], (int)values["--threads"], planted, output);
    }

    private static int Replay(ulong seed, bool trace, PlantedFault planted, TextWriter output)
    {
        var hashes = new ulong[2];
        for (var run = 0; run < 2; run++)
        {
            using var history = new SimulatedHistory(seed, planted, trace && run == 0 ? output : null);
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
        output.WriteLine($"seed {seed}: {hashes[0]:x16}{(hashes[0] == hashes[1] ? ", twice" : $" and then {hashes[1]:x16}: NOT REPEATABLE")}");
        return hashes[0] == hashes[1] ? 0 : 1;
    }

    private static int RunMany(ulong from, int seeds, int threads, PlantedFault planted, TextWriter output)
    {
        var watch = Stopwatch.StartNew();
        var told = TimeSpan.Zero;
        var run = new SeedRun { Planted = planted };
        run.Progress = done =>
        {
            if (watch.Elapsed - told < TimeSpan.FromSeconds(5))
                return;
            told = watch.Elapsed;
            output.WriteLine($"{done:N0} of {seeds:N0} seeds, {done / watch.Elapsed.TotalSeconds:N0} a second, {run.Failures.Count} failed{(run.Failures.Count > 0 ? ": " + string.Join(' ', run.FailedSeeds.Take(20)) : "")}");
        };
        run.Run(from, seeds, threads);
        foreach (var failure in run.Failures.Take(3))
            output.WriteLine(failure);
        output.WriteLine(run.Counts);
        output.WriteLine($"{seeds:N0} seeds from {from} in {watch.Elapsed.TotalSeconds:N1} s ({seeds / watch.Elapsed.TotalSeconds:N0} a second): {run.Failures.Count} failed{(run.Failures.Count > 0 ? ": " + string.Join(' ', run.FailedSeeds.Take(20)) : "")}");
        return run.Failures.Count == 0 ? 0 : 1;
    }
}

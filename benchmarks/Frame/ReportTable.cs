using Spectre.Console;

namespace Jackdaw.Bench.Frame;

/// <summary>Writes the results as tables: boxes and colours on a terminal, Markdown elsewhere.</summary>
internal sealed class ReportTable
{
    private readonly IAnsiConsole _console = AnsiConsole.Console;
    private readonly bool _terminal = !Console.IsOutputRedirected;

    public ReportTable()
    {
        if (_terminal)
            return;
        // Without a terminal there is no width to respect, and a wrapped or coloured table can be neither read nor pasted.
        _console.Profile.Width = 400;
        _console.Profile.Capabilities.Ansi = false;
    }

    public void WriteHeader(MachineDescription machine, RunSettings settings)
    {
        _console.WriteLine($"cpu     {machine.Processor}, {machine.Cores} cores, {machine.Memory}");
        _console.WriteLine($"kernel  {machine.Kernel}, {machine.Runtime}");
        _console.WriteLine($"disk    {machine.Disk}");
        _console.WriteLine($"commit  {machine.Commit}, {machine.Date}");
        if (machine.IsBusy)
            _console.WriteLine($"load    {machine.Load:0.0}: other programs use the machine, so these figures are not its best");
        if (settings.Quick)
            _console.WriteLine("mode    quick: smaller sizes and fewer rounds; an indication, not a measurement");
        _console.WriteLine();
    }

    public void Write(BenchmarkResult result)
    {
        Benchmark benchmark = result.Benchmark;
        _console.WriteLine($"{benchmark.Group} {benchmark.Name}: {benchmark.Measures}");
        _console.WriteLine(
            $"{benchmark.Sizes(result.Settings)}; {result.Runs} rounds in turns; "
                + $"median (lowest to highest); took {result.Elapsed.TotalSeconds:0} s"
        );
        WriteMeasurements(result);
        if (benchmark.Targets.Count > 0)
            WriteTargets([result]);
        foreach (Outcome outcome in result.Outcomes.Where(o => o.Failure is not null))
            _console.WriteLine($"{outcome.Name} failed: {outcome.Failure}");
        _console.WriteLine();
    }

    /// <summary>All targets of all benchmarks in one table.</summary>
    public void WriteSummary(IReadOnlyList<BenchmarkResult> results)
    {
        _console.WriteLine("Figures to reach");
        WriteTargets(results);
    }

    private void WriteMeasurements(BenchmarkResult result)
    {
        Metric[] metrics = [.. result.Outcomes.SelectMany(o => o.Metrics).Distinct()];
        Table table = NewTable();
        table.AddColumn("contender");
        foreach (Metric metric in metrics)
            table.AddColumn(new TableColumn(metric.Unit.Length == 0 ? metric.Name : $"{metric.Name} {metric.Unit}").RightAligned());
        if (metrics.Length == 0)
            table.AddColumn("result");
        foreach (Outcome outcome in result.Outcomes)
            table.AddRow([Markup.Escape(outcome.Name), .. Cells(outcome, metrics)]);
        _console.Write(table);
    }

    private static IEnumerable<string> Cells(Outcome outcome, Metric[] metrics)
    {
        string? dropped =
            outcome.Absent is { } reason ? "absent: " + reason
            : outcome.Failure is not null ? "failed"
            : null;
        if (dropped is not null && outcome.Samples.Count == 0)
        {
            yield return Markup.Escape(dropped);
            yield break;
        }
        foreach (Metric metric in metrics)
        {
            yield return outcome.SpreadOf(metric) is not { } spread ? ""
            : spread.Min == spread.Max ? metric.Format(spread.Median)
            : $"{metric.Format(spread.Median)} ({metric.Format(spread.Min)} to {metric.Format(spread.Max)})";
        }
    }

    private void WriteTargets(IReadOnlyList<BenchmarkResult> results)
    {
        Table table = NewTable();
        table.AddColumns("benchmark", "target", "measured", "");
        foreach (BenchmarkResult result in results)
        {
            foreach (Target target in result.Benchmark.Targets)
            {
                double? measured = target.Measure(result);
                table.AddRow(
                    Markup.Escape(result.Benchmark.Name),
                    Markup.Escape(target.Text),
                    measured is { } value ? Markup.Escape(target.Format(value)) : "not measured",
                    Mark(target, measured, result.Settings)
                );
            }
        }
        _console.Write(table);
    }

    private static string Mark(Target target, double? measured, RunSettings settings) =>
        measured is not { } value ? ""
        : settings.Quick && target.NeedsFullRun ? "not judged in quick mode"
        : target.IsReachedBy(value) ? "[green]reached[/]"
        : "[red]missed[/]";

    private Table NewTable() => new Table().Border(_terminal ? TableBorder.Rounded : TableBorder.Markdown);
}

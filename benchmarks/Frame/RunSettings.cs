namespace Jackdaw.Bench.Frame;

/// <summary>What the command line chose.</summary>
/// <param name="Quick">Small sizes and two rounds: an indication, not a measurement.</param>
/// <param name="Runs">Rounds; in each, every contender runs once.</param>
/// <param name="SecondsOverride">Length of a timed run, if given.</param>
/// <param name="Directory">Where the data of all contenders is kept while they run.</param>
internal sealed record RunSettings(bool Quick, int Runs, double? SecondsOverride, string Directory)
{
    /// <summary>Whether benchmarks that take many minutes run, too.</summary>
    public bool Large { get; init; }

    public const int FullRuns = 5;
    public const int QuickRuns = 2;

    /// <summary>The value for the full or for the quick mode.</summary>
    public T Pick<T>(T full, T quick) => Quick ? quick : full;

    /// <summary>The length of a timed run: what the command line says, or else the benchmark's own for this mode.</summary>
    public TimeSpan Duration(double fullSeconds, double quickSeconds) =>
        TimeSpan.FromSeconds(SecondsOverride ?? Pick(fullSeconds, quickSeconds));
}

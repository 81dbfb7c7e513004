namespace Jackdaw.Bench.Frame;

/// <summary>A question, the contenders that answer it and the figures to reach.</summary>
internal abstract class Benchmark
{
    /// <summary>What to type, e.g. <c>single-writer</c>.</summary>
    public abstract string Name { get; }

    /// <summary>The command it belongs to: see <see cref="Catalogue.Groups"/>.</summary>
    public abstract string Group { get; }

    /// <summary>One sentence.</summary>
    public abstract string Measures { get; }

    /// <summary>The figures to reach; empty where the benchmark only informs.</summary>
    public abstract IReadOnlyList<Target> Targets { get; }

    /// <summary>The sizes of this mode, in words.</summary>
    public abstract string Sizes(RunSettings settings);

    /// <summary>Highest use of the disk at one time, all contenders together.</summary>
    public abstract long DiskBytesNeeded(RunSettings settings);

    /// <summary>Makes the contenders, in the order in which they take turns.</summary>
    public abstract IReadOnlyList<Contender> CreateContenders(RunSettings settings);

    /// <summary>True where it takes so many minutes that it runs with <c>--large</c> only.</summary>
    public virtual bool IsLarge => false;

    /// <summary>Rounds to run. Benchmarks whose single run is long may ask for fewer; the output says so.</summary>
    public virtual int Runs(RunSettings settings) => settings.Runs;
}

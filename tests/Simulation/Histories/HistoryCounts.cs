using System.Reflection;

namespace Jackdaw.Simulation.Histories;

/// <summary>How often things happened: a simulation in which nothing happens finds nothing.</summary>
public sealed class HistoryCounts
{
    public long Operations { get; set; }

    public long Steps { get; set; }

    public long Commits { get; set; }

    public long Aborts { get; set; }

    public long Refusals { get; set; }

    public long PowerCuts { get; set; }

    public long CutsWhileOpening { get; set; }

    public long Kills { get; set; }

    public long CleanEnds { get; set; }

    public long Poisonings { get; set; }

    public long Replayed { get; set; }

    public long LostTails { get; set; }

    public long HeadersDestroyed { get; set; }

    public long JournalFlips { get; set; }

    public long DataFlips { get; set; }

    public long Reported { get; set; }

    public long Punches { get; set; }

    public long Copies { get; set; }

    public long ReadersVerified { get; set; }

    public void Add(HistoryCounts other)
    {
        foreach (var property in Properties)
            property.SetValue(this, (long)property.GetValue(this)! + (long)property.GetValue(other)!);
    }

    public override string ToString() => string.Join(", ", Properties.Select(p => $"{p.Name} {p.GetValue(this):N0}"));

    private static IEnumerable<PropertyInfo> Properties => typeof(HistoryCounts).GetProperties(BindingFlags.Public | BindingFlags.Instance);
}

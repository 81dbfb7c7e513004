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

    /// <summary>Copies that were refused for damage, while they were made or when they were opened.</summary>
    public long CopiesRefused { get; set; }

    /// <summary>Damaged journals opened at their last good record.</summary>
    public long LossesAccepted { get; set; }

    /// <summary>Damaged journals accepted where flush had been past the last good record: opened with pages that may hold later
    /// changes, or refused for such pages.</summary>
    public long MixturesAccepted { get; set; }

    public long ReadersVerified { get; set; }

    /// <summary>Times that a lazily durable environment went back to its last durable state.</summary>
    public long RollBacks { get; set; }

    /// <summary>Of these, such as a crash may bring back.</summary>
    public long RollBacksThatMayReturn { get; set; }

    /// <summary>Waits for durability.</summary>
    public long WaitsForDurability { get; set; }

    /// <summary>Operations that the merger took. This and what follows counts merger histories only.</summary>
    public long Submitted { get; set; }

    public long Acknowledged { get; set; }

    /// <summary>Documents expired or refreshed.</summary>
    public long Due { get; set; }

    /// <summary>Operations answered with a declared error of their own.</summary>
    public long Declined { get; set; }

    public long WithoutRoom { get; set; }

    public long TooLarge { get; set; }

    public long OutcomesUnknown { get; set; }

    /// <summary>Operations refused for a damaged page.</summary>
    public long Damaged { get; set; }

    /// <summary>Environments poisoned by a damaged page that every transaction needs.</summary>
    public long DamagePoisonings { get; set; }

    /// <summary>Operations refused because too much waits.</summary>
    public long TurnedAway { get; set; }

    public long Reexecutions { get; set; }

    /// <summary>Steps that the merger did not get for want of scratch.</summary>
    public long ScratchWaits { get; set; }

    /// <summary>Turns of the merger that a caller ran.</summary>
    public long CallersTurns { get; set; }

    /// <summary>Times that an index was compared with a fresh build.</summary>
    public long IndexesCompared { get; set; }

    /// <summary>Times that an index took the place of others.</summary>
    public long Swaps { get; set; }

    /// <summary>Counts an answer; null: the operation is durable.</summary>
    public void Count(Exception? answer)
    {
        if (answer == null)
            Acknowledged++;
        else if (answer is Jackdaw.Documents.Errors.OutOfDiskException)
            WithoutRoom++;
        else if (answer is Jackdaw.Documents.Errors.DamagedPageException)
            Damaged++;
        else
            Declined++;
    }

    public void Add(HistoryCounts other)
    {
        foreach (var property in Properties)
            property.SetValue(this, (long)property.GetValue(this)! + (long)property.GetValue(other)!);
    }

    public override string ToString() => string.Join(", ", Properties.Select(p => $"{p.Name} {p.GetValue(this):N0}"));

    private static IEnumerable<PropertyInfo> Properties => typeof(HistoryCounts).GetProperties(BindingFlags.Public | BindingFlags.Instance);
}

using System.Globalization;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Checking;

/// <summary>The outcome of a check: sound when there is no finding.</summary>
public sealed class CheckReport
{
    internal CheckReport(
        long transactionId,
        long pageCount,
        long freePages,
        IReadOnlyList<CheckFinding> findings,
        long findingCount,
        IReadOnlyList<StructureTotals> structures
    )
    {
        TransactionId = transactionId;
        PageCount = pageCount;
        FreePages = freePages;
        Findings = findings;
        FindingCount = findingCount;
        Structures = structures;
    }

    /// <summary>The transaction that was looked at.</summary>
    public long TransactionId { get; }

    /// <summary>Pages in the data file.</summary>
    public long PageCount { get; }

    /// <summary>Pages that nothing owns and the bitmap calls free.</summary>
    public long FreePages { get; }

    /// <summary>What is wrong, the first thousand; neighbouring pages with the same fault are one finding.</summary>
    public IReadOnlyList<CheckFinding> Findings { get; }

    /// <summary>How many findings there were in all.</summary>
    public long FindingCount { get; }

    /// <summary>Totals by structure, in the catalog's order, behind those of the environment's own pages.</summary>
    public IReadOnlyList<StructureTotals> Structures { get; }

    /// <summary>True when nothing was found.</summary>
    public bool IsSound => FindingCount == 0;

    /// <summary>Writes the totals as a table, then the findings.</summary>
    public void WriteTo(TextWriter writer)
    {
        ArgumentNullException.ThrowIfNull(writer);
        int width = Math.Max(9, Structures.Max(structure => structure.Name.Length));
        var culture = CultureInfo.InvariantCulture;
        writer.WriteLine(
            string.Create(
                culture,
                $"transaction {TransactionId}: {PageCount} pages ({PageCount * PageLayout.PageSize:N0} bytes), {FreePages} of them free"
            )
        );
        writer.WriteLine(
            string.Create(culture, $"{"structure".PadRight(width)}  {"kind", -14} {"entries", 14} {"pages", 10} {"bytes", 16} {"fill", 6}")
        );
        foreach (var structure in Structures)
            writer.WriteLine(
                string.Create(
                    culture,
                    $"{structure.Name.PadRight(width)}  {structure.Kind, -14} {structure.Entries, 14:N0} "
                        + $"{structure.PageCount, 10:N0} {structure.Bytes, 16:N0} {structure.Fill, 6:P0}"
                )
            );
        foreach (var finding in Findings)
            writer.WriteLine(finding);
        if (FindingCount > Findings.Count)
            writer.WriteLine(string.Create(culture, $"... and {FindingCount - Findings.Count} more"));
        writer.WriteLine(IsSound ? "sound" : string.Create(culture, $"{FindingCount} findings"));
    }
}

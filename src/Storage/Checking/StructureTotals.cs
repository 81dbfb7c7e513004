using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Checking;

/// <summary>What one structure takes in the data file, as counted by walking it.</summary>
/// <param name="Name">As in <see cref="CheckFinding"/>.</param>
/// <param name="Kind">For a person: what kind of structure it is.</param>
/// <param name="Entries">Entries that it says it has.</param>
/// <param name="PageCount">Pages that it owns.</param>
/// <param name="UsedBytes">Bytes of those pages that hold something, page headers not counted.</param>
public sealed record StructureTotals(string Name, string Kind, long Entries, long PageCount, long UsedBytes)
{
    /// <summary>Structures embedded in its values, at any depth; their pages and bytes are counted with its own, their entries are
    /// not.</summary>
    public long EmbeddedStructures { get; init; }

    /// <summary>Bytes of all pages.</summary>
    public long Bytes => PageCount * PageLayout.PageSize;

    /// <summary>0 to 1: used bytes of all bytes.</summary>
    public double Fill => PageCount == 0 ? 0 : (double)UsedBytes / Bytes;
}

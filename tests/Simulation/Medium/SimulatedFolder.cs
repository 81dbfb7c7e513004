namespace Jackdaw.Simulation.Medium;

/// <summary>A folder's entries, as the running machine sees them and as they are on the medium.</summary>
internal sealed class SimulatedFolder : ISimulatedNode
{
    public SortedDictionary<string, ISimulatedNode> Entries { get; } = new(StringComparer.Ordinal);

    public SortedDictionary<string, ISimulatedNode> MediumEntries { get; } = new(StringComparer.Ordinal);

    /// <summary>The medium's entries become what is seen, here and below.</summary>
    public void ShowMedium()
    {
        Entries.Clear();
        foreach (var (name, node) in MediumEntries)
        {
            Entries.Add(name, node);
            (node as SimulatedFolder)?.ShowMedium();
        }
    }

    /// <summary>Every file that is reachable by what is seen or by what is on the medium.</summary>
    public IEnumerable<SimulatedInode> Files()
    {
        foreach (var node in Entries.Values.Concat(MediumEntries.Values))
        {
            if (node is SimulatedInode inode)
                yield return inode;
            else if (node is SimulatedFolder folder)
            {
                foreach (var below in folder.Files())
                    yield return below;
            }
        }
    }
}

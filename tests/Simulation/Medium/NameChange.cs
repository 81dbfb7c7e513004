namespace Jackdaw.Simulation.Medium;

/// <summary>A creation, deletion or rename (one or two entries, changed together) that no directory sync covers yet.</summary>
internal sealed class NameChange(params (SimulatedFolder Folder, string Name, ISimulatedNode? Node)[] entries)
{
    private readonly HashSet<SimulatedFolder> _unsynced = [.. entries.Select(entry => entry.Folder)];

    /// <summary>The folder was synced; true when that makes the change durable.</summary>
    public bool Sync(SimulatedFolder folder) => _unsynced.Remove(folder) && _unsynced.Count == 0;

    public bool TouchesSameNameAs(NameChange other)
    {
        foreach (var (folder, name, _) in Entries)
        {
            foreach (var (otherFolder, otherName, _) in other.Entries)
            {
                if (folder == otherFolder && name == otherName)
                    return true;
            }
        }
        return false;
    }

    public (SimulatedFolder Folder, string Name, ISimulatedNode? Node)[] Entries { get; } = entries;

    public void ApplyToView()
    {
        foreach (var (folder, name, node) in Entries)
            Put(folder.Entries, name, node);
    }

    public void ApplyToMedium()
    {
        foreach (var (folder, name, node) in Entries)
            Put(folder.MediumEntries, name, node);
    }

    private static void Put(SortedDictionary<string, ISimulatedNode> entries, string name, ISimulatedNode? node)
    {
        if (node == null)
            entries.Remove(name);
        else
            entries[name] = node;
    }
}

using Jackdaw.Storage.Disk;

namespace Jackdaw.Storage;

/// <summary>What is on a disk, told without opening it.</summary>
public sealed partial class StorageEnvironment
{
    /// <summary>
    /// True when no environment is on the disk and none was ever made there to its end: nothing that was acknowledged can be lost
    /// with these files. False also for one
    /// whose headers are missing beside a data file or a journal. Takes no lock and changes nothing.
    /// </summary>
    public static bool WasNeverMade(IDisk disk)
    {
        ArgumentNullException.ThrowIfNull(disk);
        return Recovery.EnvironmentOpening.WasNeverMade(disk);
    }
}

namespace Jackdaw.Simulation.Medium;

/// <summary>What was asked of the disk.</summary>
public enum DiskOperation
{
    Open,
    Exists,
    CreateDirectory,
    List,
    Rename,
    Delete,
    SyncDirectory,
    Lock,
    Read,
    Write,
    Sync,
    BeginWriteBack,
    WaitForWriteBack,
    Allocate,
    Punch,
    FindHole,
    Map,
    Populate,
    Restart,
    Damage,
}

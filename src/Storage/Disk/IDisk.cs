namespace Jackdaw.Storage.Disk;

/// <summary>
/// The seam between the engine and the medium: every byte that reaches or leaves a disk goes through an <see cref="IDisk"/> and the
/// <see cref="IDiskFile"/>s it opens. Paths are relative to the disk's root folder and use '/'.
/// Every method may throw <see cref="Errors.DiskException"/>; ENOSPC is <see cref="Errors.DiskFullException"/>.
/// Implementations start no threads.
/// </summary>
public interface IDisk : IDisposable
{
    /// <summary>The root, as shown to people in errors.</summary>
    string Description { get; }

    /// <summary>False for a disk that forgets (in-memory): syncs are then no-ops and nothing survives
    /// <see cref="IDisposable.Dispose"/>.</summary>
    bool IsDurable { get; }

    /// <summary>Bytes that the device writes atomically across a power loss: 512 or 4,096.</summary>
    int AtomicUnit { get; }

    /// <summary>Opens a file, creating it where <paramref name="create"/> says so (creation is durable only after
    /// <see cref="SyncDirectory"/>).</summary>
    IDiskFile Open(string path, DiskFileMode mode, bool create);

    /// <summary>True when a file or directory of this path exists.</summary>
    bool Exists(string path);

    /// <summary>Creates a directory and its parents; does nothing when it exists.</summary>
    void CreateDirectory(string path);

    /// <summary>The names (not paths) of the files in a folder, in ordinal order; empty when the folder is absent.</summary>
    IReadOnlyList<string> List(string directory);

    /// <summary>Renames a file, replacing a file of the new name. Durable after <see cref="SyncDirectory"/> of both folders.</summary>
    void Rename(string from, string to);

    /// <summary>Deletes a file or an empty directory.</summary>
    void Delete(string path);

    /// <summary>Makes creations, renames and deletions in the folder durable.</summary>
    void SyncDirectory(string directory);

    /// <summary>
    /// Takes the exclusive lock on a file for life, writing this process's id into it.
    /// Throws <see cref="Errors.EnvironmentLockedException"/> naming the holder's process id when another process holds it.
    /// </summary>
    IDisposable Lock(string path);

    /// <summary>Bytes free on the volume for this process.</summary>
    long FreeBytes { get; }
}

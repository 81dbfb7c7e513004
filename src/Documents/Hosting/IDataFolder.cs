using Jackdaw.Storage.Disk;

namespace Jackdaw.Documents.Hosting;

/// <summary>
/// The folder that holds all of a server's environments. Paths are relative to it and use '/'. Each change is durable when its
/// method returns.
/// Errors are <see cref="Storage.Errors.DiskException"/>s.
/// </summary>
internal interface IDataFolder : IDisposable
{
    /// <summary>The disk of one environment's folder, which is made when absent.</summary>
    IDisk OpenDisk(string folder);

    /// <summary>Whether there is such a folder.</summary>
    bool HasFolder(string folder);

    /// <summary>Names (not paths) of the folders in a folder; none when it is absent.</summary>
    IReadOnlyList<string> Folders(string folder);

    /// <summary>Removes a folder and all in it; nothing happens when it is absent. A crash leaves some of it, and no more than
    /// was there.</summary>
    void DeleteFolder(string folder);

    void RenameFolder(string from, string to);

    /// <summary>Bytes that the folder's files take on the medium.</summary>
    long SizeBytes(string folder);
}

using Jackdaw.Storage;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Documents.Hosting;

/// <summary>The folders below one database's folder that hold environments of others.</summary>
/// <param name="folder">All folders of the server.</param>
/// <param name="path">The database's.</param>
/// <param name="isInMemory">Nothing is on a disk.</param>
internal sealed class SideFolders(IDataFolder folder, string path, bool isInMemory)
{
    public bool IsInMemory => isInMemory;

    public IDisk OpenDisk(string name) => folder.OpenDisk($"{path}/{name}");

    public IReadOnlyList<string> List(string under) => folder.Folders($"{path}/{under}");

    public void Delete(string name) => folder.DeleteFolder($"{path}/{name}");

    /// <summary>Two levels: whose they are, and which one. None can be mistaken for a part of the database's own environment.</summary>
    public static void RequireName(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        string[] parts = name.Split('/');
        Invariant.Require(
            parts.Length == 2 && parts.All(part => part.Length > 0 && part.All(c => char.IsAsciiLetterOrDigit(c) || c == '-'))
        );
        Invariant.Require(parts[0] is not ("journal" or "notes"));
    }
}

using Jackdaw.Storage.Checking;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Storage;

/// <summary>Checking the whole of it.</summary>
public sealed unsafe partial class StorageEnvironment
{
    /// <summary>
    /// Reads and verifies everything that the newest durable transaction sees: every page's checksum on the disk, every
    /// structure, the indexes of
    /// the given tables, and that each page is either owned once or free. Holds a reader for as long as it takes.
    /// </summary>
    public CheckReport Check(IEnumerable<TableSchema> tables)
    {
        ArgumentNullException.ThrowIfNull(tables);
        using var reader = BeginRead("check");
        return EnvironmentCheck.Run(reader, reader.VerifyPage, tables);
    }
}

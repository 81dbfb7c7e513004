using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Tables;

/// <summary>How much of a table is dead. Stored as it lies here: see docs/storage-format.md.</summary>
[StructLayout(LayoutKind.Sequential, Size = DeadRows.WordBytes)]
internal struct DeadRowCounters
{
    /// <summary>Dead rows.</summary>
    public long Rows;

    /// <summary>Their bytes, without keys.</summary>
    public long Bytes;

    /// <summary>Bytes of the rows that are not dead, without keys.</summary>
    public long LiveBytes;

    /// <summary>The primary key from which on the next dead row is removed.</summary>
    public long Position;
}

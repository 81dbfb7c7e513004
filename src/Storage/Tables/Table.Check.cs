using System.Buffers.Binary;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tables;

/// <summary>Checking. (The trees' own rules: <see cref="Trees.Structure.Check"/>.)</summary>
public sealed unsafe partial class Table
{
    /// <summary>Each row has each of its index entries, and there are no others; what is marked as dead is there, and counted.</summary>
    internal void Check(IPageVisitor visitor)
    {
        foreach (var index in Schema.Indexes)
            CheckIndex(index, visitor);
        if (Dead is not null)
            CheckDeadRows(Dead, visitor);
    }

    private void CheckIndex(TableIndex index, IPageVisitor visitor)
    {
        var tree = IndexTree(index);
        long expected = 0;
        using var cursor = Rows.OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
        {
            // A dead row's other entries went when it was replaced.
            if (!index.HoldsPrimaryKey && IsDead(cursor.Key))
                continue;
            var entry = IndexEntry.Of(index, cursor.Value, cursor.Key, KeyBuffers.OfThread.New);
            if (entry.IsNone)
                continue;
            expected++;
            if (!tree.TryGet(entry.Key, out var value) || !entry.HasValue(value, cursor.Key))
                visitor.Report(tree.State.RootPage, $"index '{index.TreeName}' lacks row {Convert.ToHexString(cursor.Key)}");
        }
        if (expected != tree.EntryCount)
            visitor.Report(tree.State.RootPage, $"index '{index.TreeName}' has {tree.EntryCount} entries for {expected} rows");
    }

    private void CheckDeadRows(DeadRows dead, IPageVisitor visitor)
    {
        var counted = default(DeadRowCounters);
        Span<byte> primaryKey = stackalloc byte[DeadRows.KeyBytes];
        foreach (long key in dead.Keys())
        {
            BinaryPrimitives.WriteInt64BigEndian(primaryKey, key);
            if (!Rows.TryGet(primaryKey, out var row))
            {
                visitor.Report(dead.RootPage, $"'{dead.Name}': row {key} is marked, and there is none");
                continue;
            }
            counted.Rows++;
            counted.Bytes += row.Length;
        }
        using var cursor = Rows.OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            counted.LiveBytes += cursor.Value.Length;
        counted.LiveBytes -= counted.Bytes;
        var stored = dead.Counters;
        if (stored.Rows != counted.Rows || stored.Bytes != counted.Bytes || stored.LiveBytes != counted.LiveBytes)
        {
            visitor.Report(
                dead.RootPage,
                $"'{dead.Name}': counts {stored.Rows} dead rows of {stored.Bytes} bytes beside {stored.LiveBytes} bytes of live ones, "
                    + $"and there are {counted.Rows} of {counted.Bytes} beside {counted.LiveBytes}"
            );
        }
    }

    private bool IsDead(ReadOnlySpan<byte> primaryKey) => Dead is not null && Dead.Contains(DeadRows.KeyOf(primaryKey));
}

using System.Runtime.InteropServices;
using Jackdaw.Search.Columns;
using Jackdaw.Search.Fields;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Search.Checking;

/// <summary>Counts what the chunks of a field hold.</summary>
internal sealed class ColumnCount(PageTransaction transaction, KnownField field)
{
    public long Cells() => Count<ColumnCell>(field.ColumnName, ColumnCell.InChunk, static cell => cell.Kind != ColumnKind.Missing);

    public long Lengths() => Count<uint>(field.LengthsName, LengthChunk.Lengths, static length => length != 0);

    private long Count<TCell>(string name, int inChunk, Func<TCell, bool> holds)
        where TCell : unmanaged
    {
        long all = 0;
        using var cursor = transaction.Catalog.OpenTree(name).OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
        {
            var cells = MemoryMarshal.Cast<byte, TCell>(cursor.Value);
            Invariant.Require(cursor.Key.Length == sizeof(uint) && cells.Length == inChunk, "a chunk has another size");
            long before = all;
            foreach (ref readonly var cell in cells)
                all += holds(cell) ? 1 : 0;
            Invariant.Require(all > before, "a chunk is empty");
        }
        return all;
    }
}

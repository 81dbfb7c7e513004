using System.Buffers.Binary;

namespace Jackdaw.Storage.Tables;

/// <summary>Dead rows: see <see cref="TableSchema.KeepsDeadRows"/>.</summary>
public sealed unsafe partial class Table
{
    /// <summary>Rows that were replaced and still take room.</summary>
    public long DeadRowCount => Dead?.Counters.Rows ?? 0;

    /// <summary>Null where the schema keeps none.</summary>
    internal DeadRows? Dead { get; }

    /// <summary>
    /// Removes dead rows while they have more than <paramref name="share"/> of the bytes of the live ones: in the order of their
    /// keys, going on where the
    /// last call ended and round at the end, so that those of one page go together. Returns how many.
    /// </summary>
    /// <param name="share">0: all of them.</param>
    /// <param name="atMost">Rows.</param>
    public int Vacuum(double share, int atMost)
    {
        RequireNoReservation();
        if (Dead is null)
            return 0;
        int removed = 0;
        while (removed < atMost && Dead.Counters is { Rows: > 0 } counters && counters.Bytes >= counters.LiveBytes * share)
        {
            RemoveDead(Dead.Next());
            removed++;
        }
        return removed;
    }

    private void RemoveRow(ReadOnlySpan<byte> primaryKey, int length, bool stays)
    {
        if (stays)
        {
            Dead!.Add(DeadRows.KeyOf(primaryKey), length);
            return;
        }
        bool wasThere = Rows.Delete(primaryKey);
        Invariant.Require(wasThere);
        Dead?.CountLive(-length);
    }

    private void RemoveDead(long key)
    {
        Span<byte> primaryKey = stackalloc byte[DeadRows.KeyBytes];
        BinaryPrimitives.WriteInt64BigEndian(primaryKey, key);
        bool found = Rows.TryGet(primaryKey, out var row);
        Invariant.Require(found);
        int length = row.Length;
        foreach (var index in Schema.Indexes)
        {
            if (index.HoldsPrimaryKey)
                DeleteIndexEntry(index, primaryKey, row);
        }
        bool wasThere = Rows.Delete(primaryKey);
        Invariant.Require(wasThere);
        Dead!.Remove(key, length);
    }
}

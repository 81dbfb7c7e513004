using System.Buffers.Binary;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Tests.Trees;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Tables;

/// <summary>Rows that embed structures, with dead rows among them.</summary>
public sealed class EmbeddingTableTests
{
    private static readonly TableSchema Schema = new("rows") { KeepsDeadRows = true, Embeds = new EmbeddedStates(8) };

    private static readonly TableIndex ById = Schema.AddIndex(
        "id",
        isUnique: true,
        (row, _, destination) =>
        {
            row[..8].CopyTo(destination);
            return 8;
        }
    );

    [Fact]
    public void Embedded_structures_follow_their_row_and_never_stay_with_a_dead_one()
    {
        using var store = new HeapStore();
        using var writer = store.BeginWrite();
        var table = writer.Catalog.OpenTable(Schema);
        for (long id = 0; id < 50; id++)
        {
            table.Insert(Key(id), Row(id));
            if (id % 2 == 0)
                table.Embedded.OpenPostingSet(Key(id)).Add([id, id + 1_000]);
            table.Embedded.Close(Key(id));
        }
        for (long id = 0; id < 50; id++)
            table.Replace(Key(id), Key(100 + id), Row(id));
        Assert.Equal(25, table.DeadRowCount);
        CheckedPages.RequireSound(writer);
        RequireNumbers(table, 100);
        table.Update(Key(102), Row(2, 400));
        RequireNumbers(table, 100);
        Assert.Equal(25, table.Vacuum(share: 0, atMost: 100));
        RequireNumbers(table, 100);
        CheckedPages.RequireSound(writer);

        long pages = writer.UsedPages;
        Assert.True(table.TryGetByIndex(ById, Key(4), out var primaryKey, out _));
        Assert.True(table.Delete(primaryKey));
        table.Replace(Key(106), Key(206), Row(6, 52)); // too short for a state: what it embedded goes
        Assert.Equal(pages - 4, writer.UsedPages);
        Assert.True(writer.Catalog.DropTable(Schema));
        CheckedPages.RequireSound(writer);
        Assert.True(writer.UsedPages <= 2);
    }

    private static void RequireNumbers(Table table, long first)
    {
        for (long id = 0; id < 50; id += 2)
        {
            var set = table.Embedded.OpenPostingSet(Key(first + id));
            Assert.True(set.EntryCount == 2 && set.Contains(id) && set.Contains(id + 1_000));
            table.Embedded.Close(Key(first + id));
        }
    }

    private static byte[] Key(long number)
    {
        var key = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, number);
        return key;
    }

    private static byte[] Row(long id, int bytes = 150) => [.. Key(id), .. new byte[bytes]];
}

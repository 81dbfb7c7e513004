using System.Buffers.Binary;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tests.Checking;

/// <summary>Transactions that fill and empty a fixed-size tree and two trees with short and long values, and drop one now and
/// then.</summary>
internal static class RandomWork
{
    public static void Do(WriteTransaction tx, Random random)
    {
        FixedSizeTree<long> numbers = tx.Catalog.OpenFixedTree<long>("numbers");
        BTree texts = tx.Catalog.OpenTree(random.Next(2) == 0 ? "texts" : "more texts");
        Span<byte> key = stackalloc byte[4];
        PostingSet postings = tx.Catalog.OpenPostingSet("postings");
        bool filling = random.Next(3) > 0;
        for (int i = random.Next(2_000); i > 0; i--)
        {
            int number = random.Next(3_000);
            BinaryPrimitives.WriteInt32BigEndian(key, number);
            if (filling)
            {
                numbers.Put(number, i);
                postings.Add([number * 1_000L]);
                texts.Put(key, new byte[random.Next(20) == 0 ? random.Next(40_000) : random.Next(300)]);
            }
            else
            {
                numbers.Delete(number);
                postings.Remove([number * 1_000L]);
                texts.Delete(key);
            }
        }
        if (random.Next(6) == 0)
            tx.Catalog.Drop(texts.Name);
    }
}

using System.Buffers.Binary;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tests.Checking;

/// <summary>Transactions that fill and empty a fixed-size tree, two trees with short and long values, and a dictionary of terms, each with
/// numbers in an embedded set; and drop one now and then.</summary>
internal static class RandomWork
{
    private static readonly BTreeOptions TermOptions = new()
    {
        KeepsCounts = true,
        SumsAt = 67,
        Embeds = new EmbeddedStates(3),
    };

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
        DoTerms(tx, random);
        if (random.Next(6) == 0)
            tx.Catalog.Drop(texts.Name);
        if (random.Next(12) == 0)
            tx.Catalog.Drop("terms");
    }

    private static void DoTerms(WriteTransaction tx, Random random)
    {
        var terms = tx.Catalog.OpenTree("terms", TermOptions);
        var numbers = new long[50];
        for (int i = random.Next(60); i > 0; i--)
        {
            byte[] term = [(byte)random.Next(120), .. new byte[random.Next(2) * 700]];
            if (random.Next(4) == 0)
            {
                terms.Delete(term);
                continue;
            }
            var value = new byte[random.Next(20) == 0 ? 9_000 : 67 + random.Next(30)];
            value.AsSpan(67).Fill((byte)random.Next(256));
            terms.Put(term, value);
            for (int n = 0; n < numbers.Length; n++)
                numbers[n] = (n > 0 ? numbers[n - 1] : 0) + 1 + random.Next(1_000_000);
            terms.Embedded.OpenPostingSet(term).Add(numbers);
            if (random.Next(2) == 0)
                terms.Embedded.Close(term);
        }
    }
}

using System.Buffers.Binary;
using System.Text;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tests.Trees;

/// <summary>Where the keys of a model test come from.</summary>
public enum KeyPattern
{
    Random,
    Ascending,
    Descending,
    Clustered,
    LongSharedPrefix,
    Nested,
    Zeros,
    Longest,
    LongSeparators,
    DecimalIds,
    IdsOfDigitsAndLetters,
}

internal static class KeyPatterns
{
    /// <summary>The n-th key of the pattern; a pattern may repeat keys.</summary>
    public static byte[] Next(this KeyPattern pattern, int n, Random random)
    {
        switch (pattern)
        {
            case KeyPattern.Random:
                return RandomBytes(random, random.Next(1, 24));
            case KeyPattern.Ascending:
                return BigEndian(n);
            case KeyPattern.Descending:
                return BigEndian(int.MaxValue - n);
            case KeyPattern.Clustered:
                return Encoding.UTF8.GetBytes($"{(char)('a' + random.Next(4))}/{n:D7}");
            case KeyPattern.LongSharedPrefix:
                return Encoding.UTF8.GetBytes(new string('p', random.Next(3) * 300) + "/" + random.Next(100_000));
            case KeyPattern.Nested:
                return [.. Enumerable.Repeat((byte)random.Next(2), random.Next(1, 40)), .. RandomBytes(random, random.Next(3))];
            case KeyPattern.Zeros:
                return [.. new byte[random.Next(1, 12)], .. random.Next(3) == 0 ? RandomBytes(random, 2) : []];
            case KeyPattern.LongSeparators:
                return [.. Enumerable.Repeat((byte)random.Next(20), random.Next(950, 1000)), .. RandomBytes(random, 2)];
            case KeyPattern.DecimalIds:
                return Encoding.UTF8.GetBytes($"items/{n}");
            case KeyPattern.IdsOfDigitsAndLetters:
                return Encoding.UTF8.GetBytes($"{n:x}{(random.Next(3) == 0 ? "-a" : "")}{(random.Next(9) == 0 ? "~" : "")}");
            default:
                byte[] longest = RandomBytes(random, random.Next(BTree.MaxKeyBytes - 3, BTree.MaxKeyBytes + 1));
                if (random.Next(2) == 0)
                    longest.AsSpan(0, 1000).Fill(7);
                return longest;
        }
    }

    private static byte[] BigEndian(long value)
    {
        var key = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, value);
        return key;
    }

    private static byte[] RandomBytes(Random random, int count)
    {
        var bytes = new byte[count];
        random.NextBytes(bytes);
        return bytes;
    }
}

using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tables;

/// <summary>
/// The rows of a table that were replaced and are still there: a bit a row, 512 of neighbouring keys an entry of a fixed-size
/// tree, so that marking one
/// touches a page that many others share. Layout: docs/storage-format.md.
/// </summary>
internal sealed unsafe class DeadRows
{
    /// <summary>Bytes of a primary key: a number of 63 bits, big-endian.</summary>
    public const int KeyBytes = sizeof(long);

    /// <summary>Larger rows are removed at once: few share a page, so there is nothing to win by waiting for the neighbours.</summary>
    public const int MaxRowBytes = 2048;

    public const int WordBytes = 64;
    public const int RowsAWord = 8 * WordBytes;

    private const long CountersKey = -1;

    private readonly Catalog _catalog;
    private FixedSizeTree? _tree;

    public DeadRows(Catalog catalog, string name)
    {
        _catalog = catalog;
        Name = name;
    }

    public string Name { get; }

    public DeadRowCounters Counters =>
        Tree.Find(CountersKey) is var found && found != null ? Unsafe.ReadUnaligned<DeadRowCounters>(found) : default;

    public long RootPage => Tree.State.RootPage;

    private FixedSizeTree Tree =>
        _tree is { IsLoaded: true } open
            ? open
            : _tree = ((FixedSizeTree)_catalog.OpenAs(Name, StructureKind.FixedSizeTree)).WithValueSize(WordBytes);

    public static long KeyOf(ReadOnlySpan<byte> primaryKey)
    {
        long key = BinaryPrimitives.ReadInt64BigEndian(primaryKey);
        Invariant.Require(primaryKey.Length == KeyBytes && key >= 0);
        return key;
    }

    /// <summary>The bits of the rows around a key, or null: <see cref="RowsAWord"/> of them, in page memory.</summary>
    public byte* FindWord(long key) => Tree.Find(key / RowsAWord);

    /// <summary>Is the row among those of the word?</summary>
    public static bool IsIn(byte* word, long key) => word != null && (word[key % RowsAWord / 8] >> (int)(key % 8) & 1) != 0;

    public bool Contains(long key) => IsIn(FindWord(key), key);

    /// <summary>Marks a row of that many bytes, which must be live.</summary>
    public void Add(long key, int bytes)
    {
        byte* word = Tree.Put(key / RowsAWord, out bool isNew);
        if (isNew)
            new Span<byte>(word, WordBytes).Clear();
        Invariant.Require(!IsIn(word, key));
        word[key % RowsAWord / 8] |= (byte)(1 << (int)(key % 8));
        Count(rows: 1, bytes, -bytes);
    }

    /// <summary>The row, which must be dead, is gone.</summary>
    public void Remove(long key, int bytes)
    {
        byte* word = Tree.Put(key / RowsAWord, out bool isNew);
        Invariant.Require(!isNew && IsIn(word, key));
        word[key % RowsAWord / 8] &= (byte)~(1 << (int)(key % 8));
        if (!new ReadOnlySpan<byte>(word, WordBytes).ContainsAnyExcept((byte)0))
            Tree.Delete(key / RowsAWord);
        Count(rows: -1, -bytes, 0, key + 1);
    }

    /// <summary>Live rows came or went.</summary>
    public void CountLive(long bytes) => Count(0, 0, bytes);

    /// <summary>The first dead row from where the last removal was, going round at the end. There must be one.</summary>
    public long Next()
    {
        long position = Counters.Position;
        if (TryFind(position, out long key) || TryFind(0, out key))
            return key;
        Invariant.Require(false, "dead rows are counted and none is marked");
        return -1;
    }

    /// <summary>Every dead row's key, ascending.</summary>
    public IEnumerable<long> Keys()
    {
        for (long from = 0; TryFind(from, out long key); from = key + 1)
            yield return key;
    }

    private bool TryFind(long from, out long key)
    {
        var position = new FixedSizePosition(Tree);
        for (bool any = position.Seek(from / RowsAWord); any; any = position.MoveNext())
        {
            long first = position.Key * RowsAWord;
            int bit = NextBit(position.Value, (int)Math.Max(0, from - first));
            if (bit < 0)
                continue;
            key = first + bit;
            return true;
        }
        key = -1;
        return false;
    }

    private static int NextBit(byte* word, int from)
    {
        for (int i = from / 64; i < WordBytes / sizeof(ulong); i++)
        {
            ulong bits = Unsafe.ReadUnaligned<ulong>(word + (i * sizeof(ulong)));
            if (i == from / 64)
                bits &= ulong.MaxValue << (from % 64);
            if (bits != 0)
                return (i * 64) + BitOperations.TrailingZeroCount(bits);
        }
        return -1;
    }

    private void Count(long rows, long bytes, long liveBytes, long? position = null)
    {
        byte* stored = Tree.Put(CountersKey, out bool isNew);
        var counters = isNew ? default : Unsafe.ReadUnaligned<DeadRowCounters>(stored);
        counters.Rows += rows;
        counters.Bytes += bytes;
        counters.LiveBytes += liveBytes;
        counters.Position = position ?? counters.Position;
        if (isNew)
            new Span<byte>(stored, WordBytes).Clear();
        Unsafe.WriteUnaligned(stored, counters);
    }
}

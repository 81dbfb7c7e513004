using Jackdaw.Search.Postings;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Search.Tests.Postings;

/// <summary>One term's postings in a plain collection, and changes that fit it.</summary>
internal sealed class PostingModel(PostingOptions options) : IFieldLengths
{
    private readonly List<uint> _positions = [];
    private readonly Dictionary<long, uint> _lengths = [];
    private Dictionary<long, uint> _before = [];

    public PostingOptions Options => options;

    public SortedDictionary<long, (uint Frequency, uint[] Positions)> Postings { get; private set; } = [];

    public uint[] Positions => [.. _positions];

    public IFieldLengths LengthsBefore => this;

    public uint LengthOf(long entry) => _before.GetValueOrDefault(entry);

    /// <summary>Makes random changes, here and in what is returned.</summary>
    public PostingChange[] Change(Random random, bool shrinks)
    {
        _positions.Clear();
        _before = new Dictionary<long, uint>(_lengths);
        var changed = new SortedSet<long>();
        long last = Postings.Count == 0 ? 0 : Postings.Keys.Last();
        int count = random.Next(5) switch
        {
            0 => 1,
            1 => random.Next(3),
            2 => random.Next(30),
            3 => random.Next(shrinks ? 600 : 150),
            _ => random.Next(1500),
        };
        bool appends = !shrinks && random.Next(3) == 0;
        long[] known = [.. Postings.Keys];
        long from = known.Length == 0 || random.Next(2) == 0 ? 1 : known[random.Next(known.Length)];
        for (int i = 0; i < count; i++)
        {
            if (known.Length > 0 && random.Next(10) < (shrinks ? 9 : 2))
                changed.Add(known[random.Next(known.Length)]);
            else if (!shrinks)
                changed.Add(appends ? last += random.Next(1, 4) : random.NextInt64(from, from + 6000));
        }
        if (shrinks && random.Next(4) == 0)
            changed.UnionWith(known.Skip(random.Next(3)));
        return [.. changed.Select(entry => Change(entry, random, shrinks))];
    }

    /// <summary>Compares with what lies in the dictionary. Returns the form that was seen.</summary>
    public IEnumerable<PostingForm> RequireSame(BTree dictionary, byte[] key, Random random)
    {
        if (!dictionary.TryGet(key, out var value))
        {
            Assert.Empty(Postings);
            return [];
        }
        _before = _lengths;
        Assert.Null(PostingCheck.ProblemOf(dictionary, value, Options, this));
        var seen = new SortedDictionary<long, (uint, uint[])>();
        using (var walk = new PostingWalk(dictionary, value))
        {
            var room = new PostingBuffer();
            while (walk.Next(room) is { } some)
            {
                for (int i = 0; i < some.Count; i++)
                    seen.Add(some.Ids[i], (some.Frequencies[i], Decode(some.PositionsOf(i))));
            }
        }
        Assert.Equal(Postings.Keys, seen.Keys);
        foreach (var (id, (frequency, positions)) in Postings)
        {
            Assert.Equal(frequency, seen[id].Item1);
            Assert.Equal(positions, seen[id].Item2);
        }
        RequireSameIds(dictionary, value, random);
        return [new TermRecord(value).Form];
    }

    private void RequireSameIds(BTree dictionary, ReadOnlySpan<byte> value, Random random)
    {
        long[] ids = [.. Postings.Keys];
        using var cursor = new PostingReader();
        cursor.Open(dictionary, value);
        Assert.Equal(ids.Length, cursor.Count);
        Assert.Equal(ids, ReadAll(cursor, random.Next(2) == 0 ? 1024 : random.Next(1, 400)));
        cursor.Rewind();
        var rest = new List<long>();
        long at = 0;
        var expected = new List<long>();
        for (int i = 0; i < 20; i++)
        {
            at += random.Next((int)(ids[^1] / 10) + 2);
            cursor.SeekTo(at);
            var some = new long[random.Next(1, 300)];
            int filled = cursor.Fill(some);
            rest.AddRange(some[..filled]);
            expected.AddRange(ids.Where(id => id >= at).Take(filled));
            if (filled == 0)
                Assert.True(ids[^1] < at);
            else
                at = some[filled - 1] + 1;
        }
        Assert.Equal(expected, rest);
    }

    private static long[] ReadAll(PostingReader cursor, int step)
    {
        var all = new List<long>();
        var some = new long[step];
        for (int filled; (filled = cursor.Fill(some)) > 0; )
            all.AddRange(some[..filled]);
        return [.. all];
    }

    private PostingChange Change(long entry, Random random, bool shrinks)
    {
        bool exists = Postings.ContainsKey(entry);
        if (exists && random.Next(10) < (shrinks ? 8 : 2))
        {
            Postings.Remove(entry);
            _lengths.Remove(entry);
            return new PostingChange { Entry = entry, Frequency = 0 };
        }
        bool hasPositions = (options & PostingOptions.Positions) != 0;
        uint frequency = (options & PostingOptions.Frequencies) == 0 ? 1 : (uint)(random.Next(3) == 0 ? random.Next(1, 40) : 1);
        uint length = (options & PostingOptions.Frequencies) == 0 ? 0 : frequency + (uint)random.Next(1000);
        int at = _positions.Count;
        uint position = 0;
        for (int i = 0; hasPositions && i < frequency; i++)
            _positions.Add(position += (uint)random.Next(1, 500));
        Postings[entry] = (frequency, [.. _positions.Skip(at)]);
        _lengths[entry] = length;
        return new PostingChange
        {
            Entry = entry,
            Frequency = frequency,
            Length = length,
            PositionsAt = at,
        };
    }

    private static uint[] Decode(ReadOnlySpan<byte> positions)
    {
        var decoded = new List<uint>();
        uint before = 0;
        for (int at = 0; at < positions.Length; )
            decoded.Add(before += (uint)VarInt.Read(positions, ref at));
        return [.. decoded];
    }
}

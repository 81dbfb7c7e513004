using Jackdaw.Storage.Scratch;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Scratch;

public sealed unsafe class PageMapTests(ITestOutputHelper output)
{
    /// <summary>Pages are never dereferenced by the map: any non-null pointer will do.</summary>
    private static byte* Pointer(long value) => (byte*)(value * 8);

    [Fact]
    public void Every_version_keeps_showing_what_it_showed_whichever_others_go()
    {
        var seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_SEED"), out var given) ? given : Random.Shared.Next();
        output.WriteLine($"JACKDAW_SEED={seed}");
        var random = new Random(seed);
        using var nodes = new PageMapNodes("test");
        var current = new Dictionary<long, long>();
        var root = default(PageMapRoot);
        var versions = new List<(long Version, nint Root, int Height, Dictionary<long, long> Model)>();
        // Of each version: the nodes that no later one shows.
        var retired = new Dictionary<long, RetiredMemory>();
        using var slots = new ScratchPool("test");
        for (var version = 1L; version <= 400; version++)
        {
            var writer = new PageMapWriter(nodes, root, version);
            var model = new Dictionary<long, long>(current);
            var range = random.Next(4) switch
            {
                0 => 40L,
                1 => 5_000L,
                2 => 300_000L,
                _ => 1L << 33,
            };
            for (var i = random.Next(60); i >= 0; i--)
                ChangeOne(ref writer, model, random, range);
            if (random.Next(5) == 0)
            {
                writer.GiveBackOwn();
            }
            else
            {
                root = writer.Root;
                current = model;
                var replaced = default(RetiredMemory);
                writer.HandOverReplaced(ref replaced);
                if (versions.Count > 0)
                    retired[versions[^1].Version] = replaced;
                versions.Add((version, (nint)root.Node, root.Height, model));
            }
            for (var gone = versions.Count > 12 ? random.Next(1, 6) : 0; gone > 0; gone--)
                Drop(random.Next(versions.Count - 1));
            foreach (var (_, node, height, shown) in versions)
                Compare(new PageMapRoot((PageMapNode*)node, height), shown);
        }

        // A version goes, wherever it is: what the one before it shows too stays.
        void Drop(int index)
        {
            var gone = retired.GetValueOrDefault(versions[index].Version);
            if (index > 0)
            {
                var kept = retired.GetValueOrDefault(versions[index - 1].Version);
                kept.TakeUpTo(versions[index - 1].Version, ref gone);
                retired[versions[index - 1].Version] = kept;
            }
            gone.Return(slots, nodes);
            retired.Remove(versions[index].Version);
            versions.RemoveAt(index);
        }
    }

    [Fact]
    public void Removing_everything_leaves_no_node_in_use()
    {
        using var nodes = new PageMapNodes("test");
        var writer = new PageMapWriter(nodes, default, 1);
        for (var page = 0L; page < 10_000; page += 7)
            writer.Set(page, Pointer(page + 1));
        for (var page = 0L; page < 10_000; page += 7)
            writer.Remove(page);
        Assert.True(writer.Root.Node == null);
        var before = nodes.AllocatedBytes;
        for (var page = 0L; page < 10_000; page += 7)
            writer.Set(page, Pointer(page + 1));
        Assert.Equal(before, nodes.AllocatedBytes);
    }

    [Fact]
    public void Collecting_from_a_page_number_gives_the_rest_in_order()
    {
        using var nodes = new PageMapNodes("test");
        var writer = new PageMapWriter(nodes, default, 1);
        long[] pages = [0, 1, 63, 64, 4095, 4096, 262_143, 262_144, 20_000_000];
        foreach (var page in pages)
            writer.Set(page, Pointer(page + 1));
        foreach (var from in (long[])[0, 1, 2, 64, 65, 4096, 262_144, 19_999_999, 20_000_000, 20_000_001, 1L << 40])
        {
            var entries = new PageMapEntry[32];
            var count = writer.Root.Collect(from, entries);
            Assert.Equal(pages.Where(page => page >= from), entries.Take(count).Select(entry => entry.PageNumber));
        }
    }

    private static void ChangeOne(ref PageMapWriter writer, Dictionary<long, long> model, Random random, long range)
    {
        if (model.Count > 0 && random.Next(3) == 0)
        {
            var page = model.Keys.ElementAt(random.Next(model.Count));
            writer.Remove(page);
            model.Remove(page);
            return;
        }
        var target = random.NextInt64(range);
        var value = random.NextInt64(1, 1L << 40);
        writer.Set(target, Pointer(value));
        model[target] = value;
    }

    private static void Compare(PageMapRoot root, Dictionary<long, long> model)
    {
        foreach (var (page, value) in model)
            Assert.True(root.Find(page) == Pointer(value));
        var entries = new PageMapEntry[model.Count + 1];
        var count = root.Collect(0, entries);
        Assert.Equal(model.Keys.Order(), entries.Take(count).Select(entry => entry.PageNumber));
        Assert.True(root.Find(model.Count == 0 ? 5 : model.Keys.Max() + 1) == null);
    }
}

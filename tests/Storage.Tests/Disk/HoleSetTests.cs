using Jackdaw.Storage.Disk;
using Xunit;

namespace Jackdaw.Storage.Tests.Disk;

public sealed class HoleSetTests
{
    [Fact]
    public void It_agrees_with_a_bitmap_over_random_punches_and_writes()
    {
        const int Blocks = 64;
        const int Block = HoleSet.Block;
        var seed = int.Parse(Environment.GetEnvironmentVariable("HOLES_SEED") ?? "1", System.Globalization.CultureInfo.InvariantCulture);
        var random = new Random(seed);
        var holes = new HoleSet();
        var bitmap = new bool[Blocks];
        for (var step = 0; step < 5_000; step++)
        {
            var start = random.Next(Blocks * Block);
            var length = random.Next(1, Blocks * Block - start + 1) >> random.Next(6);
            if (random.Next(2) == 0)
            {
                holes.Add(start, length);
                for (var i = (start + Block - 1) / Block; i < (start + length) / Block; i++)
                    bitmap[i] = true;
            }
            else if (length > 0)
            {
                holes.Remove(start, length);
                for (var i = start / Block; i <= (start + length - 1) / Block; i++)
                    bitmap[i] = false;
            }
            AssertEqual(holes, bitmap, $"seed {seed}, step {step}");
        }
    }

    private static void AssertEqual(HoleSet holes, bool[] bitmap, string where)
    {
        var found = new bool[bitmap.Length];
        for (
            var position = 0L;
            holes.TryFind(position, bitmap.Length * (long)HoleSet.Block, out var offset, out var length);
            position = offset + length
        )
        {
            for (var i = 0; i < length / HoleSet.Block; i++)
                found[offset / HoleSet.Block + i] = true;
        }
        Assert.True(bitmap.SequenceEqual(found), where);
    }
}

using Jackdaw.Search.Postings;
using Xunit;

namespace Jackdaw.Search.Tests.Postings;

public sealed class BitPackingTests
{
    public static TheoryData<int> Widths => [.. Enumerable.Range(0, 65)];

    [Theory]
    [MemberData(nameof(Widths))]
    public void Numbers_of_every_width_come_back(int bits)
    {
        var random = new Random(bits);
        foreach (int count in (int[])[0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 63, 64, 100, 255, 256])
        {
            var values = Numbers(random, count, bits);
            byte[] packed = new byte[BitPacking.Bytes(count, bits)];
            BitPacking.Pack(values, bits, packed);
            var plain = new ulong[count];
            BitPacking.UnpackPlain(packed, bits, plain);
            Assert.Equal(values, plain);
            var fast = new ulong[count];
            BitPacking.Unpack(packed, bits, fast);
            Assert.Equal(values, fast);
        }
    }

    [Theory]
    [MemberData(nameof(Widths))]
    public void Vectors_of_each_size_unpack_what_the_plain_twin_unpacks(int bits)
    {
        if (bits is 0 or > 25)
            return; // no vector takes these
        var random = new Random(bits);
        var values = Numbers(random, 256, bits);
        byte[] packed = new byte[BitPacking.Bytes(256, bits)];
        BitPacking.Pack(values, bits, packed);
        RequireStartOf(values, BitPacking.Unpack128, packed, bits);
        RequireStartOf(values, BitPacking.Unpack256, packed, bits);
        RequireStartOf(values, BitPacking.Unpack512, packed, bits);
    }

    private delegate int Unpacking(ReadOnlySpan<byte> source, int bits, Span<ulong> values);

    private static void RequireStartOf(ulong[] expected, Unpacking unpack, byte[] packed, int bits)
    {
        var values = new ulong[256];
        int done = unpack(packed, bits, values);
        Assert.InRange(done, bits < 2 ? 64 : 128, 256);
        Assert.Equal(expected.AsSpan(0, done), values.AsSpan(0, done));
    }

    private static ulong[] Numbers(Random random, int count, int bits)
    {
        ulong mask = bits == 0 ? 0 : ulong.MaxValue >> (64 - bits);
        return [.. Enumerable.Range(0, count).Select(_ => (ulong)random.NextInt64(long.MinValue, long.MaxValue) & mask)];
    }
}

using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Jackdaw.Storage;

namespace Jackdaw.Search.Postings;

/// <summary>
/// Numbers of equal width without gaps, the lowest bit first; the whole is padded to 8 bytes. <see cref="Unpack"/> takes the widest
/// vectors there are, and gives what <see cref="UnpackPlain"/> gives.
/// </summary>
internal static class BitPacking
{
    /// <summary>Wider numbers do not fit into 32 bits wherever in a byte they begin.</summary>
    private const int MaxVectorBits = 25;

    /// <summary>A step of eight numbers takes as many bytes as a number has bits, so that all steps look alike.</summary>
    private const int Step = 8;

    /// <summary>For each width: which bytes make the eight lanes of a step, counted from the first byte of each half.</summary>
    private static readonly byte[] s_shuffles = MakeShuffles();

    /// <summary>For each width and lane: the factor that moves the number to the top of its lane.</summary>
    private static readonly uint[] s_factors = MakeFactors();

    /// <summary>Bits that the number needs.</summary>
    public static int BitsOf(ulong greatest) => 64 - BitOperations.LeadingZeroCount(greatest);

    /// <summary>Bytes of so many numbers, padding included.</summary>
    public static int Bytes(int count, int bits) => (int)(((long)count * bits + 63) / 64 * 8);

    /// <summary>Writes the numbers, which must fit into the width. The destination has exactly the bytes for them.</summary>
    public static void Pack(ReadOnlySpan<ulong> values, int bits, Span<byte> destination)
    {
        Invariant.Require((uint)bits <= 64 && destination.Length == Bytes(values.Length, bits));
        ulong word = 0;
        int filled = 0;
        int at = 0;
        foreach (ulong value in values)
        {
            if (bits == 0)
                break;
            word |= value << filled;
            if (filled + bits < 64)
            {
                filled += bits;
                continue;
            }
            BinaryPrimitives.WriteUInt64LittleEndian(destination[at..], word);
            at += 8;
            // A shift by 64 would be one by 0.
            word = filled == 0 ? 0 : value >> (64 - filled);
            filled += bits - 64;
        }
        if (filled > 0)
            BinaryPrimitives.WriteUInt64LittleEndian(destination[at..], word);
    }

    /// <summary>Reads as many numbers as the destination has room for.</summary>
    public static void Unpack(ReadOnlySpan<byte> source, int bits, Span<ulong> values)
    {
        Invariant.Require((uint)bits <= 64 && source.Length >= Bytes(values.Length, bits));
        int done = 0;
        if (bits is > 0 and <= MaxVectorBits)
        {
            if (Vector512.IsHardwareAccelerated)
                done = Unpack512(source, bits, values);
            else if (Vector256.IsHardwareAccelerated)
                done = Unpack256(source, bits, values);
            else if (Vector128.IsHardwareAccelerated)
                done = Unpack128(source, bits, values);
        }
        UnpackPlain(source, bits, values, done);
    }

    /// <summary>The plain twin. Begins with the number at <paramref name="from"/>.</summary>
    internal static void UnpackPlain(ReadOnlySpan<byte> source, int bits, Span<ulong> values, int from = 0)
    {
        if (bits == 0)
        {
            values[from..].Clear();
            return;
        }
        ulong mask = ulong.MaxValue >> (64 - bits);
        for (int i = from; i < values.Length; i++)
        {
            long bit = (long)i * bits;
            int word = (int)(bit >> 6) * 8;
            int shift = (int)bit & 63;
            ulong value = BinaryPrimitives.ReadUInt64LittleEndian(source[word..]) >> shift;
            if (shift + bits > 64)
                value |= BinaryPrimitives.ReadUInt64LittleEndian(source[(word + 8)..]) << (64 - shift);
            values[i] = value & mask;
        }
    }

    /// <summary>Returns how many numbers it has read: a multiple of 16, as far as no load reaches behind the source.</summary>
    internal static int Unpack512(ReadOnlySpan<byte> source, int bits, Span<ulong> values)
    {
        int half = Step / 2 * bits >> 3;
        ref byte start = ref MemoryMarshal.GetReference(source);
        ref ulong target = ref MemoryMarshal.GetReference(values);
        var (low, high) = ShufflesOf(bits);
        var factors = Vector256.LoadUnsafe(ref s_factors[bits * Step]);
        var both = Vector512.Create(factors, factors);
        int i = 0;
        for (int at = 0; i + 2 * Step <= values.Length && at + bits + half + 16 <= source.Length; i += 2 * Step, at += 2 * bits)
        {
            var lanes = Vector512.Create(Gather(ref start, at, half, low, high), Gather(ref start, at + bits, half, low, high));
            var numbers = (lanes.AsUInt32() * both) >>> (32 - bits);
            var (first, second) = Vector512.Widen(numbers);
            first.StoreUnsafe(ref target, (nuint)i);
            second.StoreUnsafe(ref target, (nuint)i + Step);
        }
        return i;
    }

    /// <summary>As <see cref="Unpack512"/>, a multiple of 8.</summary>
    internal static int Unpack256(ReadOnlySpan<byte> source, int bits, Span<ulong> values)
    {
        int half = Step / 2 * bits >> 3;
        ref byte start = ref MemoryMarshal.GetReference(source);
        ref ulong target = ref MemoryMarshal.GetReference(values);
        var (low, high) = ShufflesOf(bits);
        var factors = Vector256.LoadUnsafe(ref s_factors[bits * Step]);
        int i = 0;
        for (int at = 0; i + Step <= values.Length && at + half + 16 <= source.Length; i += Step, at += bits)
        {
            var numbers = (Gather(ref start, at, half, low, high).AsUInt32() * factors) >>> (32 - bits);
            var (first, second) = Vector256.Widen(numbers);
            first.StoreUnsafe(ref target, (nuint)i);
            second.StoreUnsafe(ref target, (nuint)i + Step / 2);
        }
        return i;
    }

    /// <summary>As <see cref="Unpack512"/>, a multiple of 8.</summary>
    internal static int Unpack128(ReadOnlySpan<byte> source, int bits, Span<ulong> values)
    {
        int half = Step / 2 * bits >> 3;
        ref byte start = ref MemoryMarshal.GetReference(source);
        ref ulong target = ref MemoryMarshal.GetReference(values);
        var (low, high) = ShufflesOf(bits);
        var lowFactors = Vector128.LoadUnsafe(ref s_factors[bits * Step]);
        var highFactors = Vector128.LoadUnsafe(ref s_factors[bits * Step + Step / 2]);
        int i = 0;
        for (int at = 0; i + Step <= values.Length && at + half + 16 <= source.Length; i += Step, at += bits)
        {
            var lowBytes = Vector128.Shuffle(Vector128.LoadUnsafe(ref start, (nuint)at), low);
            var highBytes = Vector128.Shuffle(Vector128.LoadUnsafe(ref start, (nuint)(at + half)), high);
            var (first, second) = Vector128.Widen((lowBytes.AsUInt32() * lowFactors) >>> (32 - bits));
            var (third, fourth) = Vector128.Widen((highBytes.AsUInt32() * highFactors) >>> (32 - bits));
            first.StoreUnsafe(ref target, (nuint)i);
            second.StoreUnsafe(ref target, (nuint)i + 2);
            third.StoreUnsafe(ref target, (nuint)i + 4);
            fourth.StoreUnsafe(ref target, (nuint)i + 6);
        }
        return i;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector256<byte> Gather(ref byte start, int at, int half, Vector128<byte> low, Vector128<byte> high) =>
        Vector256.Create(
            Vector128.Shuffle(Vector128.LoadUnsafe(ref start, (nuint)at), low),
            Vector128.Shuffle(Vector128.LoadUnsafe(ref start, (nuint)(at + half)), high)
        );

    private static (Vector128<byte> Low, Vector128<byte> High) ShufflesOf(int bits) =>
        (Vector128.LoadUnsafe(ref s_shuffles[bits * 32]), Vector128.LoadUnsafe(ref s_shuffles[bits * 32 + 16]));

    private static byte[] MakeShuffles()
    {
        var shuffles = new byte[(MaxVectorBits + 1) * 32];
        for (int bits = 1; bits <= MaxVectorBits; bits++)
        {
            for (int lane = 0; lane < Step; lane++)
            {
                int half = lane < Step / 2 ? 0 : Step / 2 * bits >> 3;
                for (int i = 0; i < 4; i++)
                    shuffles[bits * 32 + lane * 4 + i] = (byte)((lane * bits >> 3) - half + i);
            }
        }
        return shuffles;
    }

    private static uint[] MakeFactors()
    {
        var factors = new uint[(MaxVectorBits + 1) * Step];
        for (int bits = 1; bits <= MaxVectorBits; bits++)
        {
            for (int lane = 0; lane < Step; lane++)
                factors[bits * Step + lane] = 1u << (32 - bits - (lane * bits & 7));
        }
        return factors;
    }
}

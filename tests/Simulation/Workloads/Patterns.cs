using Jackdaw.Simulation.Medium;

namespace Jackdaw.Simulation.Workloads;

/// <summary>Content that a number stands for, so that a model can hold megabytes in a few bytes: slices of one block of noise and
/// text.</summary>
internal static class Patterns
{
    public const int MaxLength = 256 * 1024;
    private static readonly byte[] Block = MakeBlock();

    public static ReadOnlySpan<byte> Of(uint pattern, int length) => Block.AsSpan((int)(pattern % MaxLength), length);

    private static byte[] MakeBlock()
    {
        var random = new SimulatedRandom(42);
        var block = new byte[2 * MaxLength];
        random.NextBytes(block);
        // Half of it compresses, as documents do.
        for (var i = 0; i < block.Length; i += 128)
            block.AsSpan(i, 64).Fill((byte)('a' + i / 128 % 26));
        return block;
    }
}

using System.Globalization;
using Jackdaw.Storage.Memory;
using Xunit;

namespace Jackdaw.Storage.Tests.Memory;

public sealed unsafe class NativeArenaTests : IDisposable
{
    private const int PieceBytes = 1 << 20;
    private const int Pieces = 200;
    private readonly NativeArena _arena = new("test of arenas");

    [Fact]
    public void Large_pieces_are_the_systems_again_once_they_are_freed_whatever_lies_between_them()
    {
        // The C library serves pieces below the largest one that was ever freed from memory that it keeps.
        _arena.Free(Touched(20 * PieceBytes), 20 * PieceBytes);
        byte*[] large = new byte*[Pieces];
        byte*[] small = new byte*[Pieces];
        for (int i = 0; i < Pieces; i++)
        {
            large[i] = Touched(PieceBytes);
            small[i] = Touched(4096);
        }
        long before = ResidentAnonymousBytes();
        foreach (byte* piece in large)
            _arena.Free(piece, PieceBytes);
        long freed = before - ResidentAnonymousBytes();
        foreach (byte* piece in small)
            _arena.Free(piece, 4096);

        Assert.True(freed > Pieces / 4L * 3 * PieceBytes, $"{freed} bytes of {Pieces * (long)PieceBytes} went back");
        Assert.Equal(0, _arena.AllocatedBytes);
    }

    [Fact]
    public void A_piece_that_is_made_larger_has_its_bytes_and_takes_no_memory_before_it_is_touched()
    {
        const long First = 1000;
        const long Second = NativeArena.LeastMappedBytes + 1;
        const long Third = 400L << 20;
        byte* piece = _arena.Allocate(First);
        for (int i = 0; i < First; i++)
            piece[i] = (byte)i;
        piece = _arena.Enlarge(piece, First, Second);
        piece[Second - 1] = 77;
        long before = ResidentAnonymousBytes();
        piece = _arena.Enlarge(piece, Second, Third);
        long more = ResidentAnonymousBytes() - before;

        for (int i = 0; i < First; i++)
            Assert.Equal((byte)i, piece[i]);
        Assert.Equal(77, piece[Second - 1]);
        Assert.True(more < 100 << 20, $"{more} bytes became resident");
        Assert.Equal(Third, _arena.AllocatedBytes);
        _arena.Free(piece, Third);
        Assert.Equal(0, _arena.AllocatedBytes);
    }

    [Fact]
    public void A_piece_that_no_machine_has_is_an_error_and_is_not_counted()
    {
        Assert.ThrowsAny<OutOfMemoryException>(() => Allocate(1L << 60));
        Assert.Equal(0, _arena.AllocatedBytes);
    }

    public void Dispose() => _arena.Dispose();

    private void Allocate(long bytes) => _arena.Allocate(bytes);

    private byte* Touched(long bytes)
    {
        byte* piece = _arena.Allocate(bytes);
        for (long at = 0; at < bytes; at += 4096)
            piece[at] = 1;
        return piece;
    }

    private static long ResidentAnonymousBytes()
    {
        string line = File.ReadLines("/proc/self/status").First(l => l.StartsWith("RssAnon:", StringComparison.Ordinal));
        return 1024
            * long.Parse(line["RssAnon:".Length..].Replace("kB", "", StringComparison.Ordinal).Trim(), CultureInfo.InvariantCulture);
    }
}

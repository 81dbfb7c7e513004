using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Storage.Tests.Disk;

public sealed unsafe class FullWriteTests
{
    [Fact]
    public void A_short_write_is_resumed_at_the_last_whole_block()
    {
        using var disk = new MemoryDisk();
        using var inner = disk.Open("file", DiskFileMode.Direct, create: true);
        using var buffer = new AlignedBuffer(8 * 512).FillRandomly(1);
        using var read = new AlignedBuffer(9 * 512);
        var file = new ShortWritingFile(inner, [1300, 511, 1, 512]);

        FullWrite.Write(file, 512, buffer.Start, buffer.Length, 512);

        Assert.Equal([(512, 4096), (1536, 3072), (1536, 3072), (1536, 3072), (2048, 2560)], file.Calls);
        Assert.Equal(read.Length, inner.ReadAt(0, read.Start, read.Length));
        Assert.True(read.Span[512..].SequenceEqual(buffer.Span));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(511)]
    public void A_device_that_takes_no_whole_block_is_an_error_and_not_an_endless_loop(int taken)
    {
        using var disk = new MemoryDisk();
        using var inner = disk.Open("file", DiskFileMode.Direct, create: true);
        using var buffer = new AlignedBuffer(1024);
        var file = new ShortWritingFile(inner, Enumerable.Repeat(taken, 1000));
        Assert.Throws<DiskException>(() => FullWrite.Write(file, 0, buffer.Start, buffer.Length, 512));
    }

    /// <summary>Takes only as many bytes as the list says, then everything.</summary>
    private sealed class ShortWritingFile(IDiskFile inner, IEnumerable<int> counts) : IDiskFile
    {
        private readonly Queue<int> _counts = new(counts);

        public List<(int Offset, int Length)> Calls { get; } = [];

        public string Path => inner.Path;

        public string FullPath => inner.FullPath;

        public long Length => inner.Length;

        public int WriteAt(long offset, byte* buffer, int length)
        {
            Calls.Add(((int)offset, length));
            return inner.WriteAt(offset, buffer, _counts.TryDequeue(out var count) ? Math.Min(count, length) : length);
        }

        public int ReadAt(long offset, byte* buffer, int length) => inner.ReadAt(offset, buffer, length);

        public void Sync() => inner.Sync();

        public void BeginWriteBack(long offset, long length) => inner.BeginWriteBack(offset, length);

        public void WaitForWriteBack(long offset, long length) => inner.WaitForWriteBack(offset, length);

        public void Allocate(long offset, long length) => inner.Allocate(offset, length);

        public void Punch(long offset, long length) => inner.Punch(offset, length);

        public bool TryFindHole(long offset, out long holeOffset, out long holeLength) =>
            inner.TryFindHole(offset, out holeOffset, out holeLength);

        public byte* Map(long reserveBytes) => inner.Map(reserveBytes);

        public void Populate(long offset, long length) => inner.Populate(offset, length);

        public void Dispose() => inner.Dispose();
    }
}

using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Storage.Tests.Disk;

public sealed unsafe class MeteredDiskTests : DiskContract
{
    protected override IDisk CreateDisk() => new MeteredDisk(new MemoryDisk());

    [Fact]
    public void Operations_are_counted_by_what_they_were_for()
    {
        using var disk = new MeteredDisk(new MemoryDisk());
        using var buffer = new AlignedBuffer(8192);
        using var journal = disk.Open("journal", DiskFileMode.Direct, create: true);
        using var data = disk.Open("data", DiskFileMode.Data, create: true);
        using var header = disk.Open("header.a", DiskFileMode.Buffered, create: true);

        journal.WriteAt(0, buffer.Start, 4096);
        journal.WriteAt(4096, buffer.Start, 512);
        journal.ReadAt(0, buffer.Start, 8192);
        data.Allocate(0, 16384);
        data.WriteAt(0, buffer.Start, 8192);
        data.Sync();
        data.Map(1 << 20);
        data.Populate(0, 8192);
        data.WaitForWriteBack(0, 8192);
        data.Punch(8192, 8192);
        header.WriteAt(0, buffer.Start, 512);
        header.Sync();
        disk.SyncDirectory("");
        Assert.Throws<DiskException>(() => disk.SyncDirectory("absent"));

        var figures = disk.Statistics.Snapshot().ToDictionary(f => f.Kind, f => (f.Count, f.Failures, f.Bytes));
        Assert.Equal(
            new Dictionary<IoKind, (long, long, long)>
            {
                [IoKind.JournalWrite] = (2, 0, 4608),
                [IoKind.JournalRead] = (1, 0, 4608),
                [IoKind.Allocate] = (1, 0, 16384),
                [IoKind.DataWrite] = (1, 0, 8192),
                [IoKind.DataSync] = (1, 0, 0),
                [IoKind.DataPopulate] = (1, 0, 8192),
                [IoKind.WriteBack] = (1, 0, 8192),
                [IoKind.Punch] = (1, 0, 8192),
                [IoKind.HeaderWrite] = (1, 0, 512),
                [IoKind.HeaderSync] = (1, 0, 0),
                [IoKind.DirectorySync] = (2, 1, 0),
            },
            figures
        );
        Assert.All(disk.Statistics.Snapshot(), f => Assert.Equal(f.Count, f.Histogram.Sum()));
    }

    [Fact]
    public void The_histogram_gives_upper_bounds_of_times()
    {
        var statistics = new IoStatistics();
        foreach (var microseconds in new[] { 0, 1, 3, 3, 100 })
            statistics.Add(IoKind.JournalWrite, 1, microseconds * System.Diagnostics.Stopwatch.Frequency / 1_000_000, failed: false);

        var figures = statistics.Snapshot(IoKind.JournalWrite);
        Assert.Equal([1, 1, 2, 0, 0, 0, 0, 1], figures.Histogram.Take(8));
        Assert.Equal(TimeSpan.FromMicroseconds(4), figures.Quantile(0.5));
        Assert.Equal(TimeSpan.FromMicroseconds(128), figures.Quantile(1));
        Assert.Equal(TimeSpan.FromMicroseconds(100), figures.Longest);
    }
}

using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Journal;
using Xunit;

namespace Jackdaw.Storage.Tests.Journal;

/// <summary>Reservations, full disks, failing and short writes.</summary>
public sealed class JournalSpaceTests
{
    private const long FileBytes = 64 << 10;

    [Fact]
    public void A_full_disk_refuses_a_reservation_and_what_was_reserved_is_still_appended()
    {
        var disk = new FaultyDisk();
        using var scene = new JournalScene(new Random(1), fileBytes: FileBytes, disk: disk);
        scene.RunSpareSteps();
        disk.Space = disk.Used;

        var one = scene.Writer.WorstCaseBytes(3, 3);
        var reserved = 0;
        while (scene.Writer.TryReserve(one))
            reserved++;
        Assert.Equal(2 * ((FileBytes - 512) / one), reserved);
        Assert.False(scene.Writer.TryReserve(2 * FileBytes));
        Assert.True(scene.Writer.TryReserve(512)); // the rest takes a smaller one
        scene.Writer.Release(512);
        for (var i = 0; i < reserved; i++)
            scene.Writer.Release(one);

        while (scene.TryCommit(pages: 3)) { }
        Assert.Equal(2, scene.LastPosition.Sequence);
        Assert.False(scene.Writer.RunSpareStep());
        Assert.Contains("no space left", scene.Writer.Statistics.LastSpareFailure, StringComparison.Ordinal);
        Assert.Equal(2, disk.List("journal").Count);

        scene.Writer.Recycle(scene.LastPosition);
        Assert.True(scene.TryCommit(pages: 3));
        Assert.Equal(3, scene.LastPosition.Sequence);
        Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.LastPosition).Position.TransactionId);
    }

    [Fact]
    public void A_large_record_is_refused_up_front_when_its_own_file_cannot_be_made_and_leaves_nothing_behind()
    {
        var disk = new FaultyDisk();
        using var scene = new JournalScene(new Random(2), fileBytes: FileBytes, disk: disk);
        scene.RunSpareSteps();
        disk.Space = disk.Used + FileBytes;
        var large = scene.Writer.WorstCaseBytes(1, 100);
        Assert.False(scene.Writer.TryReserve(large));
        Assert.Equal(2, disk.List("journal").Count);

        disk.Space = long.MaxValue;
        Assert.True(scene.Writer.TryReserve(large));
        Assert.Equal(3, disk.List("journal").Count);
        scene.Writer.Release(large);
        scene.RunSpareSteps();
        Assert.Equal(2, disk.List("journal").Count);
        Assert.True(scene.TryCommit(pages: 3));
    }

    [Fact]
    public void Recovery_uses_the_spare_and_needs_no_new_space() =>
        TestSeed.ForEach(
            4,
            random =>
            {
                var disk = new FaultyDisk();
                using var scene = new JournalScene(random, fileBytes: FileBytes, disk: disk);
                for (var i = 0; i < 12; i++)
                    scene.Commit(pages: 2);
                scene.RunSpareSteps();
                disk.Space = disk.Used;
                var end = scene.Reopen(scene.Positions[0]);
                Assert.Equal(scene.LastTransaction, end.Position.TransactionId);
                Assert.True(scene.LastPosition.Sequence > end.Position.Sequence);
                Assert.True(scene.TryCommit(pages: 2));
                Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.Positions[0]).Position.TransactionId);
            }
        );

    [Fact]
    public void A_short_write_is_resumed_at_its_last_whole_block() =>
        TestSeed.ForEach(
            6,
            random =>
            {
                var disk = new FaultyDisk();
                using var scene = new JournalScene(random, random.Next(2) == 0 ? 512 : 4096, fileBytes: FileBytes, disk: disk);
                disk.ShortWrite = length => random.Next(3) == 0 ? random.Next(1, length + 1) : length;
                for (var i = 0; i < 30; i++)
                    scene.Commit();
                Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.Positions[0]).Position.TransactionId);
            }
        );

    [Fact]
    public void A_failed_write_is_thrown_and_nothing_is_appended_afterwards()
    {
        var disk = new FaultyDisk();
        using var scene = new JournalScene(new Random(3), fileBytes: FileBytes, disk: disk);
        scene.Commit();
        var good = scene.LastPosition;
        disk.WritesFail = true;
        Assert.Equal(good.Offset, Assert.Throws<DiskException>(() => scene.Commit()).Offset);
        disk.WritesFail = false;
        Assert.Throws<InvariantViolationException>(() => scene.Commit());
        Assert.Equal(good, scene.ReadAndCompare(scene.Positions[0]).Position);
    }

    [Fact]
    public void A_spare_that_cannot_be_written_is_given_up_and_made_again_later()
    {
        var disk = new FaultyDisk();
        using var scene = new JournalScene(new Random(4), fileBytes: FileBytes, disk: disk);
        Assert.True(scene.Writer.RunSpareStep());
        disk.WritesFail = true;
        Assert.False(scene.Writer.RunSpareStep());
        Assert.Equal((0, 1), (scene.Writer.Statistics.SpareFiles, scene.Writer.Statistics.SpareFailures));
        Assert.Single(disk.List("journal"));
        disk.WritesFail = false;
        scene.RunSpareSteps();
        Assert.Equal(1, scene.Writer.Statistics.SpareFiles);
    }

    [Fact]
    public void Files_are_small_at_first_and_grow_with_use_and_an_opening_goes_on_with_the_length_that_it_finds()
    {
        const int First = 16 << 10;
        var disk = new FaultyDisk();
        using var scene = new JournalScene(new Random(6), fileBytes: 256 << 10, disk: disk, firstFileBytes: First);
        scene.RunSpareSteps();
        Assert.Equal([First, First], Lengths(disk));
        var lengths = new List<long>();
        for (var sequence = 0L; scene.Writer.Statistics.Rotations < 6; )
        {
            scene.Commit(pages: 1);
            scene.RunSpareSteps();
            if (scene.LastPosition.Sequence == sequence)
                continue;
            sequence = scene.LastPosition.Sequence;
            lengths.Add(scene.ReadFile(scene.PathOf(scene.LastPosition)).Length);
        }
        // The spare that was there when the first rotation came is one more of the small ones.
        Assert.Equal([First, First, 4 * First, 16 * First, 16 * First, 16 * First, 16 * First], lengths);
        Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.Positions[0]).Position.TransactionId);

        scene.Writer.Recycle(scene.LastPosition);
        scene.RunSpareSteps();
        scene.Reopen(scene.LastPosition);
        scene.RunSpareSteps();
        Assert.All(Lengths(disk), length => Assert.Equal(16 * First, length));
    }

    [Fact]
    public void A_record_for_which_the_files_are_still_too_small_makes_them_grow()
    {
        var disk = new FaultyDisk();
        using var scene = new JournalScene(new Random(7), fileBytes: 256 << 10, disk: disk, firstFileBytes: 16 << 10);
        scene.RunSpareSteps();
        scene.Commit(pages: 10);
        Assert.Equal(256 << 10, scene.ReadFile(scene.PathOf(scene.LastPosition)).Length);
        // The small spare was passed over, and goes.
        scene.RunSpareSteps();
        Assert.DoesNotContain(16 << 10, Lengths(disk)[1..]);
        Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.Positions[0]).Position.TransactionId);
    }

    [Fact]
    public void What_was_reserved_finds_room_whatever_was_appended_before_it_while_files_grow() =>
        TestSeed.ForEach(
            12,
            random =>
            {
                var disk = new FaultyDisk();
                using var scene = new JournalScene(random, fileBytes: 256 << 10, disk: disk, firstFileBytes: 16 << 10);
                var reserved = new Queue<int>();
                for (var i = 0; i < 150; i++)
                {
                    // Now and then the disk has no room, or just enough for a small file.
                    disk.Space = random.Next(4) == 0 ? disk.Used + random.Next(2) * (16 << 10) : long.MaxValue;
                    var pages = random.Next(4) == 0 ? random.Next(1, 40) : random.Next(1, 4);
                    if (reserved.Count < 6 && scene.Writer.TryReserve(scene.Writer.WorstCaseBytes(pages, pages)))
                        reserved.Enqueue(pages);
                    if (random.Next(3) == 0)
                        scene.Writer.RunSpareStep();
                    if (random.Next(8) == 0)
                        scene.Writer.Recycle(scene.LastPosition);
                    while (reserved.Count > 0 && random.Next(2) == 0)
                        scene.AppendReserved(random.Next(1, reserved.Dequeue() + 1));
                }
                while (reserved.TryDequeue(out var last))
                    scene.AppendReserved(random.Next(1, last + 1));
                var from = scene.Positions.Find(position => position.Sequence == scene.LastPosition.Sequence);
                Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(from).Position.TransactionId);
            }
        );

    private static List<int> Lengths(FaultyDisk disk) =>
        [
            .. disk.List("journal")
                .Select(name =>
                {
                    using var file = disk.Open($"journal/{name}", DiskFileMode.Direct, create: false);
                    return (int)file.Length;
                }),
        ];

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Reserving_appending_and_recycling_go_on_at_once_from_three_threads()
    {
        using var scene = new JournalScene(new Random(5), fileBytes: FileBytes);
        const int Transactions = 400;
        var bytes = scene.Writer.WorstCaseBytes(3, 3);
        using var reserved = new SemaphoreSlim(0);
        using var pipeline = new SemaphoreSlim(4);
        using var ended = new CancellationTokenSource();
        var committing = Task.Run(async () =>
        {
            for (var i = 0; i < Transactions; i++)
            {
                await pipeline.WaitAsync();
                Assert.True(scene.Writer.TryReserve(bytes));
                reserved.Release();
            }
        });
        var recycling = Task.Run(() =>
        {
            while (!ended.IsCancellationRequested)
            {
                if (!scene.Writer.RunSpareStep())
                    scene.Writer.Recycle(scene.Writer.Position);
            }
        });
        for (var i = 0; i < Transactions; i++)
        {
            await reserved.WaitAsync();
            scene.AppendReserved(pages: 3);
            pipeline.Release();
        }
        await ended.CancelAsync();
        await Task.WhenAll(committing, recycling);
        Assert.Equal(Transactions, scene.Writer.Statistics.Records);
        var from = scene.Positions.Find(position => position.Sequence == scene.LastPosition.Sequence);
        Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(from).Position.TransactionId);
    }
}

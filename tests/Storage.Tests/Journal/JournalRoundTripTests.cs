using Jackdaw.Storage.Journal;
using Xunit;

namespace Jackdaw.Storage.Tests.Journal;

public sealed class JournalRoundTripTests
{
    [Theory]
    [InlineData(512, "Never")]
    [InlineData(4096, "Never")]
    [InlineData(512, "Always")]
    [InlineData(4096, "WhenItPays")]
    public void What_is_appended_is_read_back_over_rotations_recycling_and_reopenings(int unit, string compression) =>
        TestSeed.ForEach(
            6,
            random =>
            {
                using var scene = new JournalScene(random, unit, Enum.Parse<JournalCompression>(compression));
                var synced = scene.LastPosition;
                for (var step = 0; step < 120; step++)
                {
                    switch (random.Next(20))
                    {
                        case 0:
                            synced = scene.Positions[random.Next((int)synced.TransactionId, scene.Positions.Count)];
                            scene.Writer.Recycle(synced);
                            break;
                        case 1 when random.Next(4) == 0:
                            scene.Commit(runPages: random.Next(30, 60));
                            break;
                        case 2 when random.Next(3) == 0:
                            Assert.Equal(scene.LastTransaction, scene.Reopen(synced).Position.TransactionId);
                            synced = random.Next(2) == 0 ? scene.LastPosition : synced;
                            break;
                        case < 8:
                            scene.Writer.RunSpareStep();
                            break;
                        default:
                            scene.Commit();
                            break;
                    }
                }
                var end = scene.ReadAndCompare(synced);
                Assert.Equal(scene.LastTransaction, end.Position.TransactionId);
                Assert.Equal(scene.Writer.Position, end.Position);
                Assert.Null(end.Damage);
                Assert.True(scene.Writer.Statistics.FilesInUse <= scene.Writer.Position.Sequence);
            }
        );

    [Fact]
    public void Every_position_is_a_place_to_begin_reading() =>
        TestSeed.ForEach(
            3,
            random =>
            {
                using var scene = new JournalScene(random, fileBytes: 128 << 10);
                for (var i = 0; i < 25; i++)
                    scene.Commit();
                foreach (var position in scene.Positions)
                    Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(position).Position.TransactionId);
            }
        );

    [Fact]
    public void A_record_larger_than_a_journal_file_gets_a_file_of_its_own_and_that_is_deleted_not_recycled()
    {
        using var scene = new JournalScene(new Random(4), fileBytes: 64 << 10);
        scene.Commit(pages: 2);
        scene.RunSpareSteps();
        scene.Commit(pages: 1, runPages: 100);
        Assert.Equal(3, scene.LastPosition.Sequence);
        for (var i = 0; i < 8; i++)
            scene.Commit(pages: 3);
        Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.Positions[0]).Position.TransactionId);

        scene.Writer.Recycle(scene.LastPosition);
        scene.RunSpareSteps();
        Assert.All(scene.Disk.List("journal"), name => Assert.Equal(64 << 10, scene.ReadFile($"journal/{name}").Length));
        Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.LastPosition).Position.TransactionId);
    }

    [Fact]
    public void Recycled_files_become_the_spares_and_no_more_than_two_are_kept()
    {
        using var scene = new JournalScene(new Random(5), fileBytes: 64 << 10);
        while (scene.LastPosition.Sequence < 8)
            scene.Commit(pages: 4);
        scene.Writer.Recycle(scene.LastPosition);
        scene.RunSpareSteps();
        var statistics = scene.Writer.Statistics;
        Assert.Equal((1, 2), (statistics.FilesInUse, statistics.SpareFiles));
        Assert.Equal(3, scene.Disk.List("journal").Count);

        var made = scene.Writer.Statistics.RecycledFiles;
        Assert.Equal(2, made);
        while (scene.LastPosition.Sequence < 14)
            scene.Commit(pages: 4);
        Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.Positions[^12]).Position.TransactionId);
    }

    [Fact]
    public void Compression_makes_compressible_records_smaller_and_leaves_the_others_alone()
    {
        using var scene = new JournalScene(new Random(6), compression: JournalCompression.Always, fileBytes: 1 << 20);
        scene.Commit(pages: 40);
        scene.Commit(pages: 40);
        var statistics = scene.Writer.Statistics;
        Assert.Equal(2, statistics.Records);
        Assert.True(statistics.BytesAppended <= scene.Writer.WorstCaseBytes(80, 80));
        Assert.Equal(2, scene.ReadAndCompare(scene.Positions[0]).Position.TransactionId);
    }
}

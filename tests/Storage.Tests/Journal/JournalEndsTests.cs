using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Journal;
using Xunit;

namespace Jackdaw.Storage.Tests.Journal;

/// <summary>What a reader makes of a last record that is not whole, and of damage. docs/storage-format.md, "Ends and damage".</summary>
public sealed class JournalEndsTests
{
    [Theory]
    [InlineData(512, false)]
    [InlineData(512, true)]
    [InlineData(4096, false)]
    public void A_last_record_torn_anywhere_ends_the_log_quietly_before_it(int unit, bool recycled) =>
        TestSeed.ForEach(
            3,
            random =>
            {
                using var scene = Filled(random, unit, recycled);
                var before = scene.LastPosition;
                var path = scene.PathOf(before);
                var old = scene.ReadFile(path);
                scene.Commit();
                var after = scene.LastPosition;
                Assert.Equal(before.Sequence, after.Sequence);
                var blocks = (int)(after.Offset - before.Offset) / unit;
                var written = scene.ReadFile(path);

                for (var round = 0; round < blocks + 40; round++)
                {
                    // First every cut at a block; then any blocks kept and any lost, as the device likes. Never all kept.
                    var keep = Enumerable.Range(0, blocks).Select(block => round < blocks ? block < round : random.Next(3) > 0).ToArray();
                    keep[random.Next(blocks)] &= round < blocks;
                    for (var block = 0; block < blocks; block++)
                    {
                        var at = (int)before.Offset + block * unit;
                        scene.WriteFile(path, at, (keep[block] ? written : old).AsSpan(at, unit));
                    }
                    // A lost block whose bytes were there already, zeros over zeros, lacks nothing but its stamp.
                    var torn = scene.ReadFile(path);
                    var isWhole = Enumerable
                        .Range(0, blocks)
                        .All(block => SameBytes(torn, written, (int)before.Offset + block * unit, unit));
                    Assert.Equal(isWhole ? after : before, scene.ReadAndCompare(scene.Positions[^6]).Position);
                }
                scene.WriteFile(path, 0, written);
                Assert.Equal(after, scene.ReadAndCompare(scene.Positions[^6]).Position);
            }
        );

    [Theory]
    [InlineData(512)]
    [InlineData(4096)]
    [Trait("Category", "Slow")]
    public void A_flipped_bit_in_a_record_is_damage_and_in_a_stamp_or_the_padding_it_harms_nothing(int unit) =>
        TestSeed.ForEach(
            3,
            random =>
            {
                using var scene = Filled(random, unit, recycled: random.Next(2) == 0);
                var from = scene.Positions[^6];
                for (var round = 0; round < 150; round++)
                {
                    var record = random.Next(scene.Positions.Count - 5, scene.Positions.Count);
                    var (start, end) = (scene.Positions[record - 1], scene.Positions[record]);
                    if (start.Sequence != end.Sequence)
                        continue;
                    var path = scene.PathOf(start);
                    var offset = random.Next(4) switch
                    {
                        0 => start.Offset + random.Next(RecordLayout.HeaderBytes),
                        1 => start.Offset
                            + random.Next((int)(end.Offset - start.Offset) / unit) * unit
                            + unit
                            - 1
                            - random.Next(RecordLayout.StampBytes),
                        _ => random.NextInt64(start.Offset, end.Offset),
                    };
                    var bit = random.Next(8);
                    scene.FlipBit(path, offset, bit);
                    if (IsCovered(scene, path, start, offset, unit))
                    {
                        var damage = Assert.Throws<CorruptedDataException>(() => scene.ReadAndCompare(from));
                        Assert.Equal((scene.Shown(path), start.Offset), (damage.Path, damage.Offset));
                        var accepted = scene.ReadAndCompare(from, acceptDataLoss: true);
                        Assert.Equal(start.TransactionId, accepted.Position.TransactionId);
                        Assert.Equal(scene.LastTransaction, accepted.Damage!.HighestTransactionSeen);
                    }
                    else
                    {
                        Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(from).Position.TransactionId);
                    }
                    scene.FlipBit(path, offset, bit);
                }
            }
        );

    [Fact]
    public void A_record_that_vanished_from_the_middle_is_damage_not_an_end() =>
        TestSeed.ForEach(
            5,
            random =>
            {
                using var scene = Filled(random, 512, recycled: false);
                do scene.Commit(pages: 1);
                while (scene.Positions[^3].Sequence != scene.LastPosition.Sequence);
                var (start, end) = (scene.Positions[^3], scene.Positions[^2]);
                scene.WriteFile(scene.PathOf(end), start.Offset, new byte[end.Offset - start.Offset]);
                var damage = Assert.Throws<CorruptedDataException>(() => scene.ReadAndCompare(scene.Positions[^4]));
                Assert.Equal(start.Offset, damage.Offset);
            }
        );

    [Theory]
    [InlineData(+1)]
    [InlineData(-1)]
    public void A_last_record_written_elsewhere_in_its_file_is_damage(int direction) =>
        TestSeed.ForEach(
            5,
            random =>
            {
                using var scene = Filled(random, 512, recycled: false);
                while (scene.LastPosition.Offset < 80 << 10)
                    scene.Commit(pages: 1);
                var before = scene.LastPosition;
                var path = scene.PathOf(before);
                var old = scene.ReadFile(path);
                scene.Commit(pages: 1);
                var record = scene.ReadFile(path)[(int)before.Offset..(int)scene.LastPosition.Offset];
                var wrong = direction > 0 ? before.Offset + 512 * random.Next(1, 100) : 512 * random.Next(1, 20);
                scene.WriteFile(path, before.Offset, old.AsSpan((int)before.Offset, record.Length));
                scene.WriteFile(path, wrong, record);
                Assert.Throws<CorruptedDataException>(() => scene.ReadAndCompare(before));
            }
        );

    [Fact]
    public void A_missing_file_a_cut_file_and_a_file_with_a_bad_header_are_damage_that_names_them() =>
        TestSeed.ForEach(
            2,
            random =>
            {
                using var scene = new JournalScene(random, fileBytes: 64 << 10);
                while (scene.LastPosition.Sequence < 5)
                    scene.Commit(pages: 3);
                scene.Commit(pages: 1);
                var files = Enumerable.Range(1, 5).ToDictionary(i => i, i => scene.ReadFile($"journal/{i:x16}"));
                foreach (var sequence in files.Keys)
                {
                    var path = $"journal/{sequence:x16}";
                    scene.Disk.Delete(path);
                    if (sequence < 5)
                        Assert.Equal(
                            scene.Shown(path),
                            Assert.Throws<CorruptedDataException>(() => scene.ReadAndCompare(scene.Positions[0])).Path
                        );
                    scene.WriteFile(path, 0, files[sequence].AsSpan(0, 8192));
                    Assert.Equal(
                        scene.Shown(path),
                        Assert.Throws<CorruptedDataException>(() => scene.ReadAndCompare(scene.Positions[0])).Path
                    );
                    scene.WriteFile(path, 0, files[sequence]);

                    var at = random.Next(RawFileHeader.Bytes);
                    scene.FlipBit(path, at, 3);
                    Assert.Equal(
                        scene.Shown(path),
                        Assert.Throws<CorruptedDataException>(() => scene.ReadAndCompare(scene.Positions[0])).Path
                    );
                    var accepted = scene.ReadAndCompare(scene.Positions[0], acceptDataLoss: true);
                    Assert.NotNull(accepted.Damage);
                    Assert.True(accepted.Position.Sequence < sequence || sequence == 1);
                    scene.FlipBit(path, at, 3);
                }
                Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.Positions[0]).Position.TransactionId);
            }
        );

    [Fact]
    public void A_spare_harms_nothing_whatever_it_holds() =>
        TestSeed.ForEach(
            5,
            random =>
            {
                using var scene = Filled(random, 512, recycled: true);
                scene.RunSpareSteps();
                var spare = scene.Disk.List("journal").Select(name => $"journal/{name}").Last();
                Assert.NotEqual(scene.PathOf(scene.LastPosition), spare);
                for (var i = 0; i < 60; i++)
                {
                    var (header, anywhere, bit) = (random.Next(RawFileHeader.Bytes), random.Next(64 << 10), random.Next(8));
                    scene.FlipBit(spare, header, bit);
                    scene.FlipBit(spare, anywhere, bit);
                    Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.Positions[^3]).Position.TransactionId);
                    scene.FlipBit(spare, header, bit);
                    scene.FlipBit(spare, anywhere, bit);
                }
            }
        );

    [Fact]
    public void A_journal_of_another_environment_or_of_another_version_is_refused_by_name()
    {
        using var scene = Filled(new Random(7), 512, recycled: false);
        using var other = Filled(new Random(8), 512, recycled: false);
        var next = $"journal/{scene.LastPosition.Sequence + 1:x16}";
        scene.WriteFile(next, 0, other.ReadFile(other.PathOf(other.LastPosition)));
        Assert.Equal(scene.Shown(next), Assert.Throws<UnsupportedFormatException>(() => scene.ReadAndCompare(scene.Positions[^2])).Path);
        Assert.Equal(
            scene.Shown(next),
            Assert
                .Throws<UnsupportedFormatException>(() => JournalWriter.BeginAfterRecovery(scene.Disk, scene.Options, scene.LastPosition))
                .Path
        );
        scene.Disk.Delete(next);

        var newer = scene.PathOf(scene.LastPosition);
        scene.WriteFile(newer, 8, [3]);
        WriteHeaderChecksum(scene, newer);
        Assert.Equal(scene.Shown(newer), Assert.Throws<UnsupportedFormatException>(() => scene.ReadAndCompare(scene.Positions[^2])).Path);
    }

    [Fact]
    public void Recovery_that_is_cut_off_and_done_again_ends_at_the_same_transaction() =>
        TestSeed.ForEach(
            4,
            random =>
            {
                using var scene = Filled(random, 512, recycled: false);
                var from = scene.Positions[^6];
                for (var round = 0; round < 4; round++)
                {
                    var end = scene.ReadAndCompare(from);
                    Assert.Equal(scene.LastTransaction, end.Position.TransactionId);
                    scene.Begin(end.Position);
                    if (round == 2)
                        scene.Commit();
                }
                scene.Commit();
                Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(from).Position.TransactionId);
            }
        );

    [Fact]
    public void A_torn_record_that_a_later_file_says_the_log_ended_before_is_never_looked_at_again() =>
        TestSeed.ForEach(
            4,
            random =>
            {
                using var scene = Filled(random, 512, recycled: false);
                var from = scene.Positions[^6];
                scene.Commit();
                var before = scene.Positions[^2];
                var torn = scene.ReadFile(scene.PathOf(before)).AsSpan((int)before.Offset, 512).ToArray();
                scene.WriteFile(scene.PathOf(before), before.Offset, new byte[512]);
                scene.Begin(scene.ReadAndCompare(from).Position);
                Assert.Equal(before.TransactionId, scene.LastTransaction);
                scene.Commit();
                scene.WriteFile(scene.PathOf(before), before.Offset, torn);
                Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(from).Position.TransactionId);
            }
        );

    [Fact]
    public void After_accepted_loss_the_journal_goes_on_at_the_last_good_record_and_the_given_up_files_are_left_out() =>
        TestSeed.ForEach(
            4,
            random =>
            {
                using var scene = new JournalScene(random, fileBytes: 64 << 10);
                while (scene.LastPosition.Sequence < 6)
                    scene.Commit(pages: 3);
                var bad = scene.Positions.FindIndex(at => at.Sequence == 3);
                scene.FlipBit(scene.PathOf(scene.Positions[bad]), scene.Positions[bad].Offset + 70, 1);
                var lost = scene.LastTransaction;
                Assert.Throws<CorruptedDataException>(() => scene.ReadAndCompare(scene.Positions[1]));
                var end = scene.ReadAndCompare(scene.Positions[1], acceptDataLoss: true);
                Assert.Equal((bad, lost), (end.Position.TransactionId, end.Damage!.HighestTransactionSeen));

                scene.Begin(end.Position);
                for (var i = 0; i < 6; i++)
                    scene.Commit(pages: 3);
                Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.Positions[1]).Position.TransactionId);
                scene.Reopen(scene.Positions[1]);
                scene.Writer.Recycle(scene.LastPosition);
                scene.RunSpareSteps();
                Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.LastPosition).Position.TransactionId);
            }
        );

    /// <summary>A scene with some records in its last file, which is new or recycled.</summary>
    private static JournalScene Filled(Random random, int unit, bool recycled)
    {
        var scene = new JournalScene(random, unit, random.Next(2) == 0 ? JournalCompression.Never : JournalCompression.Always);
        if (recycled)
        {
            while (scene.LastPosition.Sequence < 3)
                scene.Commit();
            scene.Writer.Recycle(scene.LastPosition);
            scene.RunSpareSteps();
            while (scene.LastPosition.Sequence < 4)
                scene.Commit();
            Assert.Equal(2, scene.Writer.Statistics.RecycledFiles);
        }
        for (var i = 0; i < 10 || scene.LastPosition.Offset > 128 << 10; i++)
            scene.Commit(pages: 2);
        return scene;
    }

    /// <summary>Whether a checksum covers the byte: not those of stamps, nor those after the record's end.</summary>
    private static bool IsCovered(JournalScene scene, string path, JournalPosition start, long offset, int unit)
    {
        var within = (offset - start.Offset) % unit;
        if (within >= unit - RecordLayout.StampBytes)
            return false;
        var stored = BitConverter.ToInt64(scene.ReadFile(path), (int)start.Offset + 24);
        var inRecord = (offset - start.Offset) / unit * (unit - RecordLayout.StampBytes) + within;
        var lengthItself = inRecord is >= 24 and < 32;
        return lengthItself || inRecord < RecordLayout.HeaderBytes + stored + RecordLayout.ChecksumBytes;
    }

    private static bool SameBytes(byte[] a, byte[] b, int offset, int unit) =>
        a.AsSpan(offset, unit - RecordLayout.StampBytes).SequenceEqual(b.AsSpan(offset, unit - RecordLayout.StampBytes));

    private static unsafe void WriteHeaderChecksum(JournalScene scene, string path)
    {
        fixed (byte* header = scene.ReadFile(path))
            scene.WriteFile(path, RawFileHeader.ChecksumAt, BitConverter.GetBytes(RawFileHeader.ChecksumOf(header)));
    }
}

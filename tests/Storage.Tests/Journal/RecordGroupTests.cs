using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Pages;
using Xunit;

namespace Jackdaw.Storage.Tests.Journal;

/// <summary>Several records that are applied together or not at all, over as many journal files as they take.</summary>
public sealed unsafe class RecordGroupTests
{
    private const long FileBytes = 32 << 10;

    [Fact]
    public void A_group_of_records_over_several_files_is_read_back_whole() =>
        TestSeed.ForEach(
            5,
            random =>
            {
                using var scene = new JournalScene(random, fileBytes: FileBytes);
                scene.Commit();
                var start = scene.LastPosition;
                using var memory = new NativePages();
                var group = new Group(random, memory);
                foreach (var (span, page) in group.Records(start.TransactionId + 1, transactions: 7, pieces: 12))
                    Append(scene, span, page);
                var image = scene.Images[^1].Copy();
                image.Transactions.Clear();
                var end = scene.Read(start, image);
                Assert.Equal(start.TransactionId + 7, end.Position.TransactionId);
                Assert.Equal((7, 0), (end.Records, end.Position.Pieces));
                Assert.Equal(scene.Writer.Position, end.Position);
                Assert.True(end.Position.Sequence > start.Sequence + 2, "the group should take several files");
                Assert.Equal(Enumerable.Repeat(start.TransactionId + 1, 12), image.Transactions);
                Assert.True(
                    group
                        .Run.AsSpan()
                        .SequenceEqual(image.Pages.Where(p => p.Key >= 100).OrderBy(p => p.Key).SelectMany(p => p.Value).ToArray())
                );
            }
        );

    [Fact]
    public void A_group_without_its_last_record_never_was() =>
        TestSeed.ForEach(
            5,
            random =>
            {
                for (var written = 1; written < 12; written++)
                {
                    using var scene = new JournalScene(random, fileBytes: FileBytes);
                    scene.Commit();
                    var start = scene.LastPosition;
                    using var memory = new NativePages();
                    foreach (var (span, page) in new Group(random, memory).Records(start.TransactionId + 1, 7, 12).Take(written))
                        Append(scene, span, page);
                    AssertSamePlace(start, scene.ReadAndCompare(scene.Positions[0]).Position);
                    // The log goes on behind the transaction before the group, whatever files the group began.
                    scene.Begin(start);
                    for (var i = 0; i < 5; i++)
                        scene.Commit();
                    Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.Positions[0]).Position.TransactionId);
                }
            }
        );

    [Fact]
    public void A_journal_that_goes_back_before_a_group_leads_past_it() =>
        TestSeed.ForEach(
            5,
            random =>
            {
                for (var written = 1; written <= 12; written++)
                {
                    using var scene = new JournalScene(random, fileBytes: FileBytes);
                    scene.Commit();
                    var start = scene.LastPosition;
                    using var memory = new NativePages();
                    foreach (var (span, page) in new Group(random, memory).Records(start.TransactionId + 1, 7, 12).Take(written))
                        Append(scene, span, page);
                    scene.Writer.GoBack(start);
                    Assert.True(scene.Writer.TryLeaveAbandoned());
                    Assert.Equal(start.TransactionId, scene.ReadAndCompare(scene.Positions[0]).Position.TransactionId);
                    for (var i = 0; i < 5; i++)
                        scene.Commit();
                    Assert.Equal(scene.LastTransaction, scene.ReadAndCompare(scene.Positions[0]).Position.TransactionId);
                }
            }
        );

    [Fact]
    public void A_flipped_bit_in_any_record_of_a_complete_group_is_damage_and_nothing_of_the_group_is_applied() =>
        TestSeed.ForEach(
            10,
            random =>
            {
                using var scene = new JournalScene(random, fileBytes: FileBytes);
                scene.Commit();
                var start = scene.LastPosition;
                using var memory = new NativePages();
                var places = new List<JournalPosition>();
                foreach (var (span, page) in new Group(random, memory).Records(start.TransactionId + 1, 7, 12))
                {
                    Append(scene, span, page);
                    places.Add(scene.Writer.Position);
                }
                var hit = places[random.Next(places.Count)];
                scene.FlipBit(scene.PathOf(hit), hit.Offset - random.Next(1500, 2500), random.Next(8));
                var damage = Assert.Throws<CorruptedDataException>(() => scene.Read(start, scene.Images[^1].Copy()));
                Assert.Equal(scene.Shown(scene.PathOf(hit)), damage.Path);
                AssertSamePlace(start, scene.ReadAndCompare(start, acceptDataLoss: true).Position);
            }
        );

    /// <summary>Behind the same record; the second may be at the start of the file that follows.</summary>
    private static void AssertSamePlace(JournalPosition expected, JournalPosition actual) =>
        Assert.Equal((expected.TransactionId, expected.Chain, 0), (actual.TransactionId, actual.Chain, actual.Pieces));

    private static void Append(JournalScene scene, RecordSpan span, JournaledPage page)
    {
        Assert.True(scene.Writer.TryReserve(scene.Writer.WorstCaseBytes([page])));
        scene.Writer.Append(span, [page], commitTicks: 1);
    }

    /// <summary>A run of pages in parts, each of which is a record.</summary>
    private sealed class Group
    {
        private readonly byte* _memory;

        public Group(Random random, NativePages memory)
        {
            Run = new byte[12 * PageLayout.PageSize];
            random.NextBytes(Run);
            _memory = memory.Add(Run);
        }

        public byte[] Run { get; }

        public IEnumerable<(RecordSpan Span, JournaledPage Page)> Records(long first, int transactions, int pieces)
        {
            for (var i = 0; i < pieces; i++)
                yield return (new RecordSpan(first, transactions, i, i + 1 < pieces), Part(i, pieces));
        }

        private JournaledPage Part(int i, int pieces)
        {
            var bytes = Run.Length / pieces;
            return new JournaledPage(100, Run.Length / PageLayout.PageSize, _memory, null, Run.Length).Part(i * bytes, bytes);
        }
    }
}

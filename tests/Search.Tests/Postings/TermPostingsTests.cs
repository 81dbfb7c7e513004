using System.Text;
using Jackdaw.Search.Postings;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Search.Tests.Postings;

public sealed class TermPostingsTests(ITestOutputHelper output) : IDisposable
{
    private const PostingOptions All = PostingOptions.Frequencies | PostingOptions.Positions;

    private static readonly byte[] s_term = Encoding.UTF8.GetBytes("\u0001term");

    private readonly TestStorage _storage = new();
    private readonly TermPostings _postings = new();

    public void Dispose() => _storage.Dispose();

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 0)]
    [InlineData(2, 1)]
    [InlineData(3, 1)]
    [InlineData(4, 3)]
    [InlineData(5, 3)]
    [InlineData(6, 3)]
    public void A_term_has_the_postings_that_were_put_and_not_removed(int round, byte options)
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        var models = Enumerable.Range(0, 4).Select(_ => new PostingModel((PostingOptions)options)).ToArray();
        var forms = new HashSet<PostingForm>();
        for (int batch = 0; batch < 60; batch++)
        {
            using var writer = _storage.Environment.BeginWrite();
            var dictionary = writer.Catalog.OpenTree("text/1", TermRecord.TreeOptions);
            for (int term = 0; term < models.Length; term++)
            {
                var model = models[term];
                byte[] key = Encoding.UTF8.GetBytes($"\u0001term {term}");
                uint before = (uint)model.Postings.Count;
                var changes = model.Change(random, shrinks: batch % 20 > 12);
                if (changes.Length == 0)
                    continue;
                var outcome = _postings.Apply(
                    dictionary,
                    key,
                    model.Options,
                    (uint)(7 + term),
                    changes,
                    model.Positions,
                    model.LengthsBefore
                );
                Assert.Equal(new TermOutcome((uint)(7 + term), (uint)model.Postings.Count, before), outcome);
            }
            Assert.Equal(models.Sum(model => model.Postings.Count), dictionary.Sum());
            for (int term = 0; term < models.Length; term++)
                forms.UnionWith(models[term].RequireSame(dictionary, Encoding.UTF8.GetBytes($"\u0001term {term}"), random));
            writer.Commit();
            Require(_storage);
        }
        Assert.Contains(PostingForm.Large, forms);
        Assert.True(forms.Count > 1);
    }

    [Fact]
    public void Ascending_ids_fill_blocks_and_only_append()
    {
        using var writer = _storage.Environment.BeginWrite();
        var dictionary = writer.Catalog.OpenTree("text/1", TermRecord.TreeOptions);
        for (int i = 0; i < 100; i++)
            Put(dictionary, Enumerable.Range(i * 77 + 1, 77).Select(id => (long)id));
        var blocks = BlocksOf(dictionary);
        Assert.Equal((7700 + 255) / 256, blocks.EntryCount);
        using var cursor = blocks.OpenCursor();
        int full = 0;
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            full += new TermBlock(cursor.Value).Count == TermBlock.MaxIds ? 1 : 0;
        Assert.Equal(7700 / 256, full);
    }

    [Fact]
    public void Changing_one_id_in_a_set_of_a_million_writes_three_pages_unless_one_splits()
    {
        const int count = 1_000_000;
        using (var writer = _storage.Environment.BeginWrite())
        {
            var dictionary = writer.Catalog.OpenTree("text/1", TermRecord.TreeOptions);
            Put(dictionary, Enumerable.Range(1, count).Select(id => id * 3L));
            for (int i = 0; i < 5000; i++)
            {
                byte[] other = Encoding.UTF8.GetBytes($"\u0001other {i}");
                _postings.Apply(dictionary, other, PostingOptions.None, 1, [Change(5)], []);
            }
            writer.Commit();
        }
        var random = new Random(1);
        int splits = 0;
        long pages = 0;
        for (int i = 0; i < 3000; i++)
        {
            long id = random.Next(1, count) * 3L;
            var (written, isSplit) = PagesOf(i % 3 == 0 ? new PostingChange { Entry = id, Frequency = 0 } : Change(id + i % 3));
            Assert.InRange(written, 2, isSplit ? 6 : 3);
            splits += isSplit ? 1 : 0;
            pages += written;
        }
        output.WriteLine($"{pages / 3000.0} pages on average, {splits} changes split a page");
        Assert.InRange(splits, 0, 300);
    }

    private (int Written, bool IsSplit) PagesOf(PostingChange change)
    {
        using var writer = _storage.Environment.BeginWrite();
        var dictionary = writer.Catalog.OpenTree("text/1", TermRecord.TreeOptions);
        long before = BlocksOf(dictionary).PageCount;
        try
        {
            _postings.Apply(dictionary, s_term, PostingOptions.None, 1, [change], []);
        }
        catch (InvariantViolationException) when (change.IsRemoval)
        {
            return (2, false); // was removed before
        }
        bool isSplit = BlocksOf(dictionary).PageCount != before;
        Assert.True(dictionary.Sum() > 0); // what a commit brings up to date
        int pages = (int)(writer.ScratchBytes / PageLayout.PageSize);
        writer.Commit();
        return (pages, isSplit);
    }

    private static BTree BlocksOf(BTree dictionary) => dictionary.Transaction.Catalog.OpenTree(BlockTree.BlocksName(dictionary.Name));

    [Fact]
    public void A_bound_is_never_above_a_length_and_exact_where_a_block_is_written_whole()
    {
        using var writer = _storage.Environment.BeginWrite();
        var dictionary = writer.Catalog.OpenTree("text/1", TermRecord.TreeOptions);
        PostingChange[] changes =
        [
            .. Enumerable
                .Range(1, 600)
                .Select(id => new PostingChange
                {
                    Entry = id,
                    Frequency = (uint)(id % 5 + 1),
                    Length = (uint)(1000 - id),
                }),
        ];
        _postings.Apply(dictionary, s_term, PostingOptions.Frequencies, 1, changes, []);
        Assert.Equal([744u, 488, 400], ShortestLengths(dictionary));
        changes =
        [
            new PostingChange
            {
                Entry = 100,
                Frequency = 9,
                Length = 3,
            },
        ];
        _postings.Apply(dictionary, s_term, PostingOptions.Frequencies, 1, changes, []);
        Assert.Equal([3u, 488, 400], ShortestLengths(dictionary));
    }

    [Fact]
    public void Removing_a_posting_that_is_not_there_is_a_broken_invariant()
    {
        using var writer = _storage.Environment.BeginWrite();
        var dictionary = writer.Catalog.OpenTree("text/1", TermRecord.TreeOptions);
        var removal = new PostingChange { Entry = 9, Frequency = 0 };
        Put(dictionary, [8]);
        Assert.ThrowsAny<Exception>(() => _postings.Apply(dictionary, s_term, PostingOptions.None, 1, [removal], []));
        Put(dictionary, Enumerable.Range(10, 600).Select(id => (long)id));
        Assert.ThrowsAny<Exception>(() => _postings.Apply(dictionary, s_term, PostingOptions.None, 1, [removal], []));
    }

    [Fact]
    public void When_the_first_block_goes_the_next_one_is_the_first()
    {
        using var writer = _storage.Environment.BeginWrite();
        var dictionary = writer.Catalog.OpenTree("text/1", TermRecord.TreeOptions);
        Put(dictionary, Enumerable.Range(1000, 1000).Select(id => (long)id));
        PostingChange[] removals = [.. Enumerable.Range(1000, 300).Select(id => new PostingChange { Entry = id, Frequency = 0 })];
        _postings.Apply(dictionary, s_term, PostingOptions.None, 1, removals, []);
        RequireSound(700);
        Put(dictionary, [5]);
        RequireSound(701);

        void RequireSound(int count)
        {
            Assert.True(dictionary.TryGet(s_term, out var value));
            Assert.Null(PostingCheck.ProblemOf(dictionary, value, PostingOptions.None));
            using var reader = new PostingReader();
            reader.Open(dictionary, value);
            Assert.Equal(count, reader.Fill(new long[1024]));
        }
    }

    [Fact]
    public void One_posting_with_many_positions_is_large()
    {
        using var writer = _storage.Environment.BeginWrite();
        var dictionary = writer.Catalog.OpenTree("text/1", TermRecord.TreeOptions);
        uint[] positions = [.. Enumerable.Range(0, 50_000).Select(i => (uint)i * 200)];
        PostingChange[] changes =
        [
            new()
            {
                Entry = 1,
                Frequency = 50_000,
                Length = 60_000,
            },
        ];
        _postings.Apply(dictionary, s_term, All, 1, changes, positions);
        Assert.True(dictionary.TryGet(s_term, out var value));
        Assert.Equal(PostingForm.Large, new TermRecord(value).Form);
        Assert.Null(PostingCheck.ProblemOf(dictionary, value, All));
    }

    private static PostingChange Change(long id) => new() { Entry = id, Frequency = 1 };

    private void Put(BTree dictionary, IEnumerable<long> ids) =>
        _postings.Apply(dictionary, s_term, PostingOptions.None, 1, [.. ids.Select(Change)], []);

    private static uint[] ShortestLengths(BTree dictionary)
    {
        using var cursor = BlocksOf(dictionary).OpenCursor();
        var lengths = new List<uint>();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            lengths.Add(new TermBlock(cursor.Value).ShortestLength);
        return [.. lengths];
    }

    /// <summary>No page is leaked or used twice.</summary>
    private static void Require(TestStorage storage)
    {
        var report = storage.Environment.Check([]);
        Assert.Empty(report.Findings);
    }
}

using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Watching;
using Xunit;

namespace Jackdaw.Documents.Tests;

public class ChangeCursorTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(20)]
    public void Any_number_of_sources_is_merged_in_the_order_of_etags(int sources)
    {
        var random = new Random(sources);
        var etags = Enumerable.Range(0, sources).Select(_ => new List<long>()).ToArray();
        // Some sources end early, and some have nothing.
        for (long etag = 1; etag <= 1000 && sources > 0; etag++)
            etags[Math.Min(random.Next(sources), random.Next(sources))].Add(etag);
        var cursor = new ChangeCursor(etags.Select(one => new ListedSource(one)).ToArray());
        var merged = new List<long>();
        while (cursor.MoveNext())
            merged.Add(cursor.CurrentEtag);
        Assert.Equal(Enumerable.Range(1, sources == 0 ? 0 : 1000).Select(etag => (long)etag), merged);
        Assert.False(cursor.MoveNext());
    }

    [Fact]
    public void Two_changes_with_one_etag_are_no_database()
    {
        var cursor = new ChangeCursor([new ListedSource([1, 4]), new ListedSource([2, 4])]);
        Assert.True(cursor.MoveNext());
        Assert.True(cursor.MoveNext());
        Assert.True(cursor.MoveNext());
        Assert.ThrowsAny<Exception>(() => cursor.MoveNext());
    }

    /// <summary>A third kind of source: neither documents nor tombstones.</summary>
    private sealed class ListedSource(IReadOnlyList<long> etags) : IChangeSource
    {
        private int _at = -1;

        public ChangeKinds Kind => ChangeKinds.None;

        public long CurrentEtag => etags[_at];

        public DocumentChange CurrentChange => throw new NotSupportedException();

        public bool MoveNext()
        {
            Assert.True(_at < etags.Count, "It has ended.");
            return ++_at < etags.Count;
        }
    }
}

using System.Text;
using Jackdaw.Indexing.Queries;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

public class QueryCursorTests
{
    /// <summary>In etag order: users/2, orders/1, Users/10, users/1, users/3, x (without a collection), ORDERS/2, users/1.</summary>
    private readonly StoredDocuments _documents = new StoredDocuments()
        .Put("users/2", "Users")
        .Put("orders/1", "Orders")
        .Put("Users/10", "Users")
        .Put("users/3", "Users")
        .Put("x", "@empty")
        .Put("ORDERS/2", "Orders")
        .Put("users/1", "Users");

    [Theory]
    [InlineData("from Users", "users/2 Users/10 users/3 users/1", 4)]
    [InlineData("from USERS where true", "users/2 Users/10 users/3 users/1", 4)]
    [InlineData("from @empty", "x", 1)]
    [InlineData("from Nobody", "", 0)]
    [InlineData("from Nobody where id() = 'users/1'", "", 0)]
    [InlineData("from @all_docs", "users/2 orders/1 Users/10 users/3 x ORDERS/2 users/1", 7)]
    [InlineData("from Users order by id()", "users/1 Users/10 users/2 users/3", 4)]
    [InlineData("from Users as u order by id(u) desc limit 2", "users/3 users/2", 4)]
    [InlineData("from @all_docs order by id() limit 1, 3", "ORDERS/2 users/1 Users/10", 7)]
    [InlineData("from @all_docs order by id() desc limit 2 offset 5", "ORDERS/2 orders/1", 7)]
    [InlineData("from Users limit 0", "", 4)]
    [InlineData("from Users limit 1", "users/2", 4)]
    [InlineData("from Users offset 3", "users/1", 4)]
    [InlineData("from Users limit 9, 1", "", 4)]
    [InlineData("from Users limit $none, $two", "users/2 Users/10", 4)]
    [InlineData("from Users where id() = 'USERS/1'", "users/1", 1)]
    [InlineData("from Users where id() = null", "", 0)]
    [InlineData("from Orders where id() = 'users/1'", "", 0)]
    [InlineData("from @all_docs where id() in ('users/1', 'orders/1', 'nobody', 'USERS/1', 'x')", "orders/1 x users/1", 3)]
    [InlineData("from Users where id() in ($ids, 'orders/1', null)", "users/2 Users/10 users/1", 3)]
    [InlineData("from Users where id() in ($ids) order by id() desc limit 2", "users/2 Users/10", 3)]
    [InlineData("from Users where id() = $one or id() in ('users/3') or id() = 'users/1'", "users/3 users/1", 2)]
    [InlineData("from Users where startsWith(id(), 'users/1')", "users/1 Users/10", 2)]
    [InlineData("from @all_docs where STARTSWITH(id(), $prefix) order by id() desc", "ORDERS/2 orders/1", 2)]
    [InlineData("from Orders where startsWith(id(), '') limit 1", "orders/1", 2)]
    [InlineData("from Users where startsWith(id(), null)", "", 0)]
    [InlineData("from Users where true and startsWith(id(), 'users/') limit 1, 2", "Users/10 users/2", 4)]
    public void A_query_without_an_index_gives_its_documents_in_order_and_counts_them(string query, string ids, long total)
    {
        var parameters = RqlParameters.Parse(
            """{ "none": null, "two": 2, "ids": ["users/1", "users/2", null, "Users/10"], "one": "users/1", "prefix": "Orders/" }"""
        );
        var plan = QueryPlanner.Plan(query, parameters);

        Assert.Equal(total, Count(plan, _documents));
        var cursor = QueryCursor.Open(plan, _documents);
        Assert.Equal(ids, string.Join(' ', Ids(cursor)));
        Assert.False(cursor.MoveNext());
        Assert.False(cursor.IsInterrupted);
    }

    [Theory]
    [InlineData("from Users")]
    [InlineData("from @all_docs")]
    [InlineData("from Users order by id()")]
    [InlineData("from Users order by id() desc")]
    [InlineData("from @all_docs order by id() desc limit 1, 4")]
    [InlineData("from @all_docs where id() in ('x', 'users/1', 'orders/1', 'users/3')")]
    [InlineData("from Users where startsWith(id(), 'users/') limit 1, 2")]
    public void A_query_continued_at_every_result_on_another_reader_gives_what_one_reader_gives(string query)
    {
        var plan = QueryPlanner.Plan(query, RqlParameters.None);
        var whole = QueryCursor.Open(plan, _documents);
        var expected = Ids(whole).ToList();

        var ids = new List<string>();
        QueryPosition? position = null;
        while (true)
        {
            var cursor = QueryCursor.Open(plan, _documents, position);
            if (!cursor.MoveNext())
                break;
            ids.Add(Encoding.UTF8.GetString(cursor.Current.Id));
            position = cursor.Position;
        }

        Assert.Equal(expected, ids);
    }

    [Theory]
    [InlineData("from Users")]
    [InlineData("from @all_docs limit 3, 2")]
    [InlineData("from Users order by id()")]
    [InlineData("from Users order by id() desc")]
    [InlineData("from @all_docs order by id() desc limit 1, 4")]
    [InlineData("from @all_docs where id() in ('x', 'users/1', 'orders/1', 'users/3')")]
    [InlineData("from Users where id() in ('x', 'users/1', 'orders/1', 'users/3') order by id() desc")]
    [InlineData("from Users where startsWith(id(), 'users/') limit 1, 2")]
    [InlineData("from Orders where startsWith(id(), 'users/')")]
    [InlineData("from @all_docs where startsWith(id(), '') order by id() desc limit 100000, 5")]
    public void A_query_whose_reader_is_due_at_every_row_gives_and_counts_what_one_reader_does(string query)
    {
        var plan = QueryPlanner.Plan(query, RqlParameters.None);
        var expected = Ids(QueryCursor.Open(plan, _documents)).ToList();
        var total = Count(plan, _documents);

        for (var rows = 1; rows < 4; rows++)
        {
            var count = new QueryCount(plan);
            var readers = 1;
            for (_documents.AsksUntilDue = rows; !count.Continue(_documents); _documents.AsksUntilDue = rows)
                Assert.InRange(++readers, 0, 20);
            Assert.Equal(total, count.Total);

            var ids = new List<string>();
            var position = count.Results;
            for (var interrupted = true; interrupted; readers++)
            {
                _documents.AsksUntilDue = rows;
                var cursor = QueryCursor.Open(plan, _documents, position);
                ids.AddRange(Ids(cursor));
                interrupted = cursor.IsInterrupted;
                position = cursor.Position;
                Assert.InRange(readers, 0, 40);
            }

            Assert.Equal(expected, ids);
        }
    }

    [Fact]
    public void A_scan_that_finds_nothing_stops_when_its_reader_is_due()
    {
        var plan = QueryPlanner.Plan("from Orders where startsWith(id(), 'users/')", RqlParameters.None);
        _documents.AsksUntilDue = 2;
        var cursor = QueryCursor.Open(plan, _documents);

        Assert.False(cursor.MoveNext());
        Assert.True(cursor.IsInterrupted);
        Assert.Equal(2, _documents.DocumentsRead);
    }

    [Theory]
    [InlineData("from Users order by id()")]
    [InlineData("from Users order by id() desc")]
    [InlineData("from Users where startsWith(id(), '')")]
    [InlineData("from Users where id() in ('users/1', 'users/2', 'users/3', 'users/10') order by id()")]
    public void In_id_order_no_document_comes_twice_however_often_it_is_written_between_readers(string query)
    {
        var plan = QueryPlanner.Plan(query, RqlParameters.None);
        var expected = Ids(QueryCursor.Open(plan, _documents)).ToList();

        var ids = new List<string>();
        QueryPosition? position = null;
        for (var interrupted = true; interrupted; )
        {
            _documents.AsksUntilDue = 2;
            var cursor = QueryCursor.Open(plan, _documents, position);
            ids.AddRange(Ids(cursor));
            interrupted = cursor.IsInterrupted;
            position = cursor.Position;
            foreach (var id in expected)
                _documents.Put(id, "Users");
        }

        Assert.Equal(expected, ids);
    }

    [Fact]
    public void In_etag_order_an_answer_ends_although_writers_are_faster_and_every_document_is_there()
    {
        var plan = QueryPlanner.Plan("from Users", RqlParameters.None);
        var ids = new List<string>();
        QueryPosition? position = null;
        for (var interrupted = true; interrupted; )
        {
            _documents.AsksUntilDue = 1;
            var cursor = QueryCursor.Open(plan, _documents, position);
            ids.AddRange(Ids(cursor));
            interrupted = cursor.IsInterrupted;
            position = cursor.Position;
            if (ids.Count == 1)
                _documents.Put("users/1", "Users");
            _documents.Put("users/2", "Users").Put($"users/new{ids.Count}", "Users");
            // The three that stay where they are, what was written before they were passed (at most five), and four more.
            Assert.InRange(ids.Count, 0, 12);
        }

        Assert.Superset(new HashSet<string> { "users/2", "Users/10", "users/3", "users/1" }, ids.ToHashSet());
    }

    [Fact]
    public void In_etag_order_an_old_document_that_is_written_behind_many_new_ones_is_there()
    {
        var plan = QueryPlanner.Plan("from Users", RqlParameters.None);
        var first = QueryCursor.Open(plan, _documents);
        Assert.True(first.MoveNext());
        var position = first.Position;
        for (var i = 0; i < 10; i++)
            _documents.Put($"users/new{i}", "Users");
        _documents.Put("users/1", "Users");

        Assert.Contains("users/1", Ids(QueryCursor.Open(plan, _documents, position)));
    }

    [Fact]
    public void A_document_changed_between_two_readers_comes_again_in_etag_order_and_none_is_missed()
    {
        var plan = QueryPlanner.Plan("from Users", RqlParameters.None);
        var first = QueryCursor.Open(plan, _documents);
        Assert.True(first.MoveNext());
        var position = first.Position;

        _documents.Put("users/2", "Users", """{ "changed": true }""").Put("users/4", "Users");

        Assert.Equal(["Users/10", "users/3", "users/1", "users/2", "users/4"], Ids(QueryCursor.Open(plan, _documents, position)));
    }

    [Fact]
    public void A_page_reads_no_more_than_what_it_passes_over_and_gives()
    {
        var many = new StoredDocuments();
        for (var i = 0; i < 1000; i++)
            many.Put($"users/{i}", "Users");

        var plan = QueryPlanner.Plan("from Users limit 5, 10", RqlParameters.None);
        var cursor = QueryCursor.Open(plan, many);
        Assert.Equal(10, Ids(cursor).Count());
        Assert.Equal(1000, Count(plan, many));
        Assert.Equal(15, many.DocumentsRead);
    }

    [Fact]
    public void A_million_results_stream_in_constant_memory()
    {
        var endless = new EndlessDocuments(1_000_000);
        var cursor = QueryCursor.Open(QueryPlanner.Plan("from @all_docs order by id()", RqlParameters.None), endless);
        var before = GC.GetAllocatedBytesForCurrentThread();

        long count = 0;
        while (cursor.MoveNext())
            count++;

        Assert.Equal(1_000_000, count);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 64 * 1024);
    }

    [Fact]
    public void A_small_collection_is_sorted_and_a_large_one_read_out_of_the_order_of_all_ids()
    {
        var documents = new StoredDocuments();
        for (var i = 0; i < 100; i++)
            documents.Put($"orders/{i}", "Orders");
        for (var i = 0; i <= QueryCursor.SortCollectionsUpTo; i++)
            documents.Put($"users/{(i * 7919) % 5000:D4}", "Users");

        var orders = QueryCursor.Open(QueryPlanner.Plan("from Orders order by id() desc", RqlParameters.None), documents);
        var ids = Ids(orders).ToList();
        Assert.Equal(100, ids.Count);
        Assert.Equal(ids.OrderDescending(StringComparer.Ordinal), ids);
        Assert.Equal(100, documents.DocumentsRead);

        var users = QueryCursor.Open(QueryPlanner.Plan("from Users order by id() limit 2, 3", RqlParameters.None), documents);
        var all = Enumerable
            .Range(0, QueryCursor.SortCollectionsUpTo + 1)
            .Select(i => $"users/{(i * 7919) % 5000:D4}")
            .Order(StringComparer.Ordinal);
        Assert.Equal(all.Skip(2).Take(3), Ids(users));
        Assert.Equal(100 + 100 + 5, documents.DocumentsRead);
    }

    private static long Count(QueryPlan plan, StoredDocuments documents)
    {
        var count = new QueryCount(plan);
        Assert.True(count.Continue(documents));
        return count.Total;
    }

    private static IEnumerable<string> Ids(QueryCursor cursor)
    {
        while (cursor.MoveNext())
            yield return Encoding.UTF8.GetString(cursor.Current.Id);
    }
}

using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;
using Xunit;

namespace Jackdaw.Documents.Tests;

public sealed class TraceTests
{
    private const string Header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    [Fact]
    public void A_change_keeps_the_trace_of_its_request_and_only_so_many_are_kept()
    {
        using var database = new TestDatabase();
        Assert.True(TraceParent.TryParse(Header, out var trace));
        const int PerBatch = 10_000;
        for (int batches = 0; batches <= DocumentsWriter.KeptTraces / PerBatch; batches++)
        {
            var batch = BatchOperation.Rent();
            batch.Trace = trace;
            for (int i = 0; i < PerBatch; i++)
                TestDatabase.AddPut(batch, $"a/{i % 10}", "{}");
            database.Do(batch);
            batch.Return();
        }
        database.Do(TestDatabase.Put("plain", "{}"));
        var deletion = TestDatabase.Delete("plain");
        deletion.Trace = trace;
        database.Do(deletion);
        using var reader = database.Read();
        long last = reader.LastEtag;
        Assert.Equal(Header, reader.Trace(last).ToString());
        Assert.Null(reader.Trace(last - 1));
        Assert.Equal(Header, reader.Trace(last - 2).ToString());
        // The deletion's pushed out one more.
        Assert.Null(reader.Trace(PerBatch + 1));
        Assert.NotNull(reader.Trace(PerBatch + 2));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331")]
    [InlineData("00-00000000000000000000000000000000-b7ad6b7169203331-01")]
    [InlineData("00-0af7651916cd43dd8448eb211c80319z-b7ad6b7169203331-01")]
    public void What_is_no_trace_is_ignored(string? header) => Assert.False(TraceParent.TryParse(header, out _));
}

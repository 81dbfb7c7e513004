using System.Diagnostics;
using System.Text.Json;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.SearchBenchmarks;
using Xunit;

namespace Jackdaw.Bench.Tests;

public class IndexLagTests
{
    [Fact]
    public void A_lag_ends_with_the_first_look_that_finds_the_write_in_all_indexes()
    {
        IndexPosition[] looks = [new(5, At(1)), new(5, At(2)), new(8, At(40)), new(9, At(90))];

        double[] lags = [Lag(new(6, At(10))), Lag(new(8, At(30))), Lag(new(9, At(10)))];

        Assert.Equal([30, 10, 80], lags.Select(lag => Math.Round(lag)));

        double Lag(AcknowledgedWrite write) => IndexLags.Of([write], looks).MaxMs;
    }

    [Fact]
    public void A_write_that_was_indexed_before_its_answer_was_there_has_no_lag()
    {
        Assert.Equal(0, IndexLags.Of([new AcknowledgedWrite(5, At(20))], [new IndexPosition(7, At(10))]).MaxMs);
    }

    [Fact]
    public void A_write_that_no_look_found_in_the_indexes_is_an_error()
    {
        Assert.Throws<ArgumentException>(() => IndexLags.Of([new AcknowledgedWrite(6, At(1))], [new IndexPosition(5, At(10))]));
    }

    [Fact]
    public void How_far_the_indexes_were_behind_counts_only_writes_that_were_acknowledged_before_the_look()
    {
        AcknowledgedWrite[] writes = [new(10, At(1)), new(30, At(5)), new(100, At(50))];
        IndexPosition[] looks = [new(4, At(2)), new(12, At(6)), new(99, At(40)), new(100, At(60))];

        Assert.Equal(18, IndexLags.MostBehind(writes, looks));
    }

    [Fact]
    public void The_slowest_index_counts()
    {
        Assert.Equal(7, IndexLagMeter.LowestPosition("{\"Position\":12,\"DurablePosition\":3},{\"Position\":7,\"DurablePosition\":1}"u8));
        Assert.Throws<IOException>(() => IndexLagMeter.LowestPosition("{\"Results\":[]}"u8));
    }

    [Fact]
    public void The_etag_of_a_PUT_stands_in_its_change_vector()
    {
        Assert.Equal(1_234, OrderPuts.EtagOf("{\"Id\":\"A:7\",\"ChangeVector\":\"A:1234-xyz\"}"u8[15..]));
        Assert.Throws<IOException>(() => OrderPuts.EtagOf("{\"Id\":\"items/1\"}"u8));
    }

    [Fact]
    public void The_rows_of_the_peer_have_the_values_of_the_orders()
    {
        byte[] body = new byte[new OrderBodies().LongestBody];
        for (long number = 0; number < 50; number++)
        {
            int length = new OrderBodies().WriteBody(number, body);
            JsonElement order = JsonDocument.Parse(body.AsMemory(0, length)).RootElement;

            Assert.Equal(
                [
                    order.GetProperty("Number").GetRawText(),
                    order.GetProperty("Customer").GetString(),
                    order.GetProperty("Status").GetString(),
                    order.GetProperty("Total").GetRawText(),
                    order.GetProperty("OrderedAt").GetString(),
                    $"{{{string.Join(',', order.GetProperty("Tags").EnumerateArray().Select(tag => tag.GetString()))}}}",
                ],
                PostgreSqlOrders.SixColumns.Select(column => column.Value(number))
            );
        }
    }

    private static long At(double milliseconds) => (long)(milliseconds / 1_000 * Stopwatch.Frequency);
}

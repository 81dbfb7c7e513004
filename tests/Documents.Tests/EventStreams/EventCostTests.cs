using Jackdaw.Documents.EventStreams;
using Jackdaw.Simulation.Merging;
using Jackdaw.Storage.Checking;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Documents.Tests.EventStreams;

/// <summary>What an event costs on disk is what docs/event-streams.md says.</summary>
public sealed class EventCostTests(ITestOutputHelper output)
{
    private const int Streams = 100;
    private const int Groups = 20;
    private const int Events = Streams * Groups * 10;
    private const int PayloadBytes = 1000;

    [Fact]
    public void An_event_of_a_kilobyte_takes_a_seventh_of_a_page_and_few_bytes_of_indexes()
    {
        using var database = new TestDatabase();
        string payload = new('x', PayloadBytes);
        for (int i = 0; i < Groups; i++)
        {
            for (int stream = 0; stream < Streams; stream++)
            {
                ModelEvent[] events = [.. Enumerable.Repeat(new ModelEvent(payload, Manifest: "m", Tags: ["t"]), 10)];
                database.Do(
                    SimulatedAppend.ToOperation([new ModelGroup($"account-{stream}", (i * 10) + 1, null, "writer", false, events)])
                );
            }
        }
        var report = database.Storage.Check([.. EventsRoom.Instance.Tables]);

        Assert.True(report.IsSound);
        foreach (var totals in report.Structures.Where(s => s.Name.StartsWith("events/", StringComparison.Ordinal)))
            output.WriteLine(
                $"{totals.Name}: {totals.UsedBytes / (double)Events:0.0} bytes and {totals.PageCount / (double)Events:0.000} pages an event"
            );
        Assert.InRange(Of(report, "events/rows").UsedBytes / Events, PayloadBytes + 48, PayloadBytes + 80);
        Assert.InRange(Of(report, "events/rows").PageCount, Events / 7.5, Events / 6.5);
        Assert.InRange(Of(report, "events/rows/stream").UsedBytes / Events, 15, 40);
        Assert.InRange(Of(report, "events/tags").UsedBytes / Events, 5, 30);
        Assert.InRange(Of(report, "events/streams").UsedBytes / Streams, 72, 120);
    }

    private static StructureTotals Of(CheckReport report, string name) => report.Structures.Single(totals => totals.Name == name);
}

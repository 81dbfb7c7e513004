using System.Text;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Simulation.Medium;
using Jackdaw.Simulation.Merging;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Documents.Tests.EventStreams;

/// <summary>Random appends, repeats, take-overs, deletions and removals, against the model. The seed is in the failure.</summary>
public sealed class EventStreamPropertyTests(ITestOutputHelper output)
{
    private const int Seeds = 8;
    private const int Steps = 400;

    [Fact]
    public void Streams_are_what_the_model_makes_of_their_operations()
    {
        var seed = (ulong)Random.Shared.NextInt64(1_000_000_000);
        for (var last = seed + Seeds; seed < last; seed++)
        {
            try
            {
                Run(seed);
            }
            catch (Exception failure)
            {
                output.WriteLine($"Seed {seed}");
                throw new InvalidOperationException($"Seed {seed}: {failure.Message}", failure);
            }
        }
    }

    private static void Run(ulong seed)
    {
        using var database = new TestDatabase();
        var random = new SimulatedRandom(seed);
        var traffic = new EventTraffic(random);
        var state = EventsState.Empty;
        long lastEtag = 0;
        for (int step = 0; step < Steps; step++)
        {
            database.Clock.Advance(TimeSpan.FromMilliseconds(random.Next(3)));
            long now = database.Clock.GetUtcNow().UtcTicks;
            switch (random.Next(20))
            {
                case 0:
                    var cleaning = new CleanTombstonesOperation { UpToEtag = random.Coin() ? lastEtag : random.Next((int)lastEtag + 1) };
                    database.Do(cleaning);
                    (state, int removed) = state.Clean(cleaning.UpToEtag);
                    Assert.Equal(removed, cleaning.RemovedEvents);
                    break;
                case < 4:
                    string stream = traffic.DrawStream();
                    long upTo = traffic.DrawDeletion(state, stream);
                    database.Do(new DeleteEventsOperation(Encoding.UTF8.GetBytes(stream), upTo));
                    if (state.Hides(stream, upTo))
                    {
                        lastEtag += state.EtagsOf(stream, upTo);
                        state = state.Delete(stream, upTo, lastEtag, now);
                    }
                    break;
                default:
                    var groups = traffic.DrawAppend(state);
                    var append = SimulatedAppend.ToOperation(groups);
                    database.Do(append);
                    (state, var outcomes, lastEtag) = state.Append(groups, lastEtag, now, SimulatedAppend.EventLimits.MaxEventBytes);
                    Assert.Equal(outcomes, append.Groups.Select(group => group.Outcome));
                    break;
            }
            if (step % 20 == 0)
                Compare(database, state);
        }
        Compare(database, state);
        Assert.Empty(RoomsCheck.Run(database.Storage, [EventsRoom.Instance]));
    }

    private static void Compare(TestDatabase database, EventsState state)
    {
        using var reader = database.Read();
        EventsCheckByModel.Run(reader, state);
    }
}

using System.Text;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Simulation.Merging;
using Jackdaw.Storage;
using Xunit;

namespace Jackdaw.Documents.Tests.EventStreams;

/// <summary>Event streams through everything that is done to a database as a whole.</summary>
public sealed class EventStreamDurabilityTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-events-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private DatabasesOptions Options =>
        new()
        {
            DataDir = _folder,
            Rooms = [EventsRoom.Instance],
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    [Fact]
    public async Task Streams_outlive_a_restart_a_compaction_and_a_check()
    {
        ModelGroup[] groups =
        [
            new("a", 1, null, "w1", false, [new("""{"n":1}""", Tags: ["t"]), new("two", IsJson: false), new(new string('x', 1400))]),
            new("A", 5, null, "", false, [new("{}", Manifest: "m", Serializer: -3)]),
        ];
        await using (var databases = Databases.Open(Options))
        {
            await databases.CreateAsync("shop", "{}"u8.ToArray());
            var database = databases.Get("shop");
            await database.SubmitAsync(SimulatedAppend.ToOperation(groups));
            await database.SubmitAsync(new DeleteEventsOperation("a"u8, 1));
        }
        DataFolderMaintenance.Compact(Options, TextWriter.Null);
        using (var findings = new StringWriter())
            Assert.True(DataFolderMaintenance.Check(Options, findings), findings.ToString());
        await using (var databases = Databases.Open(Options))
        {
            var database = databases.Get("shop");
            using (var reader = database.OpenRead("test"))
            using (var events = new EventStreamsReader(reader))
            {
                var read = new List<string>();
                for (var cursor = events.OpenAll(0)!; cursor.MoveNext(); )
                {
                    if (!cursor.IsDeleted)
                        read.Add($"{Encoding.UTF8.GetString(cursor.Current.StreamId)}{cursor.Current.Number}");
                }
                Assert.Equal(["a2", "a3", "A5"], read);
            }
            // The repeat of a lost answer, after all that.
            var repeated = SimulatedAppend.ToOperation(groups);
            await database.SubmitAsync(repeated);
            Assert.All(repeated.Groups, group => Assert.Equal(AppendOutcome.Stored, group.Outcome));
            Assert.Equal(5, database.LastDurableEtag);
        }
    }
}

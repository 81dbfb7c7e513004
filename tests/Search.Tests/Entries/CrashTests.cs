using System.Globalization;
using System.Text;
using Jackdaw.Search.Checking;
using Jackdaw.Search.Entries;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Search.Tests.Entries;

/// <summary>
/// Power cuts at any moment of a lazily durable index: what is there afterwards is the index as of one batch, with the owner's state of
/// that batch, and no batch is lost that was durable.
/// </summary>
[Trait("Category", "Slow")]
public sealed class CrashTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void After_a_power_cut_an_index_is_what_it_was_at_the_position_that_it_states(int round)
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        using var disk = new SimulatedDisk(new SimulatedRandom((ulong)seed), 512, new SimulatedClock(), new OperationTrace());
        var history = new List<IndexModel> { new() };
        int cuts = 0;
        int durable = 0;
        for (int life = 0; life < 12; life++)
        {
            var run = new Life(disk, history, random, durable);
            try
            {
                run.Open();
                disk.CutPowerIn(random.Next(1, 40));
                for (int batch = 0; batch < 10; batch++)
                    run.ApplyBatch();
            }
            catch (PowerCutException)
            {
                cuts++;
            }
            durable = run.DurableBatch;
            run.Die();
        }
        output.WriteLine($"{cuts} power cuts, {history.Count - 1} batches");
        Assert.True(cuts > 0); // within a life; each ends with one
        Assert.True(history.Count > 8);
    }

    /// <summary>One process: from opening to the cut.</summary>
    private sealed class Life(SimulatedDisk disk, List<IndexModel> history, Random random, int durableBatch)
    {
        private static readonly EnvironmentOptions s_options = new()
        {
            Durability = Durability.Lazy,
            MaxDataFileBytes = 64 << 20,
            InitialDataFileBytes = 64 << 10,
            JournalFileBytes = 256 << 10,
            FirstJournalFileBytes = 64 << 10,
            RecoveryWritesAside = false,
        };

        private readonly RandomEntries _made = new(random);
        private StorageEnvironment? _storage;
        private SearchIndex? _index;
        private EntryBatch? _batch;

        /// <summary>The last batch that surely survives.</summary>
        public int DurableBatch { get; private set; } = durableBatch;

        /// <summary>Opens, and compares with the history.</summary>
        public void Open()
        {
            _storage = StorageEnvironment.Open(disk, s_options with { Random = new SimulatedRandom((ulong)random.Next()) });
            Assert.True(_storage.Check([]).IsSound);
            _index = SearchIndex.Open(_storage, IndexScene.Id);
            _batch = _index.BeginBatch();
            using var reader = _index.OpenRead("test");
            int position = int.Parse(Encoding.ASCII.GetString(reader.State("position") ?? "0"u8.ToArray()), CultureInfo.InvariantCulture);
            Assert.InRange(position, DurableBatch, history.Count - 1);
            history[position].RequireSame(reader);
            Assert.Empty(SearchCheck.Run(reader));
            history.RemoveRange(position + 1, history.Count - position - 1);
        }

        public void ApplyBatch()
        {
            var model = history[^1].Copy();
            for (int i = random.Next(40); i > 0; i--)
            {
                string source = "docs/" + random.Next(60);
                if (random.Next(5) == 0)
                    model.Delete(_batch!, source);
                else
                    model.Put(_batch!, source, _made.Some());
            }
            int position = history.Count;
            _batch!.SetState("position", Encoding.ASCII.GetBytes(position.ToString(CultureInfo.InvariantCulture)));
            history.Add(model);
            using (var writer = _storage!.BeginWrite())
            {
                _batch.Apply(writer);
                writer.Commit();
            }
            if (random.Next(3) == 0)
            {
                while (_storage.RunJournalStep(force: true)) { }
                DurableBatch = position;
            }
            if (random.Next(6) == 0)
                _storage.FlushAndSync();
        }

        public void Die()
        {
            disk.Detach();
            _batch?.Dispose();
            _storage?.Dispose();
            disk.Restart(powerCut: true);
        }
    }
}

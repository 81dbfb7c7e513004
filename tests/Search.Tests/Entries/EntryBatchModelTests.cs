using Jackdaw.Search.Checking;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Search.Tests.Entries;

/// <summary>Batches of random sources beside a plain model.</summary>
public sealed class EntryBatchModelTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void After_each_batch_the_index_has_what_a_plain_model_has(int round)
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        var made = new RandomEntries(random);
        var model = new IndexModel();
        using var scene = new IndexScene();
        for (int batch = 0; batch < 12; batch++)
        {
            for (int i = random.Next(random.Next(3) == 0 ? 300 : 30); i > 0; i--)
                Change(scene, model, made, random);
            scene.Batch.SetState("position", [(byte)batch]);
            scene.Commit();
            if (random.Next(4) == 0)
                scene.Reopen();
            using var reader = scene.Read();
            model.RequireSame(reader);
            Assert.Empty(SearchCheck.Run(reader));
            Assert.Equal(new[] { (byte)batch }, reader.State("position"));
        }
    }

    private static void Change(IndexScene scene, IndexModel model, RandomEntries made, Random random)
    {
        string source = "docs/" + random.Next(200);
        switch (random.Next(10))
        {
            case 0:
            case 1 when model.Sources.Count > 100:
                model.Delete(scene.Batch, source);
                break;
            case 2:
                IndexModel.Add(scene.Batch, source, made.Some());
                scene.Batch.AbandonSource();
                break;
            case 3 when model.Entries.TryGetValue(source, out var entries):
                model.Put(scene.Batch, source, entries); // nothing changes
                break;
            case 4 or 5 when model.Entries.TryGetValue(source, out var some):
                model.Put(scene.Batch, source, [.. some.Select(made.Changed)]);
                break;
            default:
                model.Put(scene.Batch, source, made.Some());
                break;
        }
    }
}

using System.Globalization;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Reading;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class WaitingChangesTests
{
    [Fact]
    public async Task What_waits_is_counted_exactly_near_both_ends_and_estimated_in_between()
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("ETL_SEED"), CultureInfo.InvariantCulture, out int given)
            ? given
            : Random.Shared.Next();
        var random = new Random(seed);
        await using var scene = await Scene.OpenAsync();
        for (int i = 0; i < 400; i++)
        {
            string collection = random.Next(3) == 0 ? "Users" : "Orders";
            if (random.Next(5) == 0)
                await scene.DeleteAsync($"{collection}/{random.Next(120)}");
            else
                await scene.PutAsync($"{collection}/{random.Next(120)}", "{}", collection);
        }
        using var reader = scene.Database.OpenRead("test");
        foreach (bool withDeletes in new[] { false, true })
        {
            foreach (string collection in new[] { "Orders", "users", "Nobody" })
            {
                var transform = new TransformConfiguration
                {
                    Name = "T",
                    Script = "",
                    Collections = [collection],
                    PublishDeletes = withDeletes,
                };
                int estimates = 0;
                long former = long.MaxValue;
                for (long after = 0; after <= reader.LastEtag; after++)
                {
                    // Every change of it, read one by one.
                    var changes = new ChangeReader(reader, transform, after);
                    int waiting = 0;
                    while (changes.MoveNext())
                        waiting++;
                    Assert.True(
                        WaitingChanges.Count(reader, transform, after) == new Documents.Reading.CountedChanges(waiting, true),
                        $"ETL_SEED={seed}: {collection} after {after}"
                    );
                    var few = reader.CountDocuments(collection, after, 10);
                    if (withDeletes)
                        few = few.With(reader.CountTombstones(collection, after, 10));
                    Assert.True(
                        few.IsExact ? few.Count == waiting : Math.Abs(few.Count - waiting) < 40,
                        $"ETL_SEED={seed}: {few} instead of {waiting} of {collection} after {after}"
                    );
                    Assert.True(few.Count <= former || !few.IsExact);
                    former = few.Count;
                    estimates += few.IsExact ? 0 : 1;
                }
                Assert.True(estimates > 0 || collection == "Nobody", $"ETL_SEED={seed}");
            }
        }
    }

    [Fact]
    public async Task A_transform_over_all_documents_waits_for_those_of_no_system_collection()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await scene.PutAsync("users/1", "{}", "Users");
        await scene.PutAsync("plain", "{}", "@empty");
        await scene.PutAsync("@dead-letters/1", "{}", "@dead-letters");
        await scene.PutAsync("users/2", "{}", "Users");
        await scene.DeleteAsync("users/2");
        var all = Scene.Transform("loadToA(this);") with { ApplyToAllDocuments = true };
        await scene.StartAsync(
            Scene.Configuration(all, Scene.Transform("loadToA(this);") with { Name = "Orders only" }) with
            {
                Disabled = true,
            }
        );
        var transforms = scene.Task.Status().Transforms;
        Assert.Equal([(3L, 5L), (1L, 1L)], transforms.Select(transform => (transform.DocumentsBehind, transform.EtagsBehind)));
    }
}

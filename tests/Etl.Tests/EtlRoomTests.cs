using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Values;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class EtlRoomTests
{
    [Fact]
    public async Task What_ETL_keeps_is_sound_after_all_that_tasks_do_and_a_value_that_is_none_is_found()
    {
        await using var endpoint = new WebhookEndpoint((_, _) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        await using (var tasks = EtlTasksTests.Open(scene))
        {
            await tasks.PutConnectionAsync(EtlTasksTests.Connection(endpoint.Url));
            long id = await tasks.PutTaskAsync(
                EtlTasksTests.Definition(members: "\"Queues\":[{\"Name\":\"Out\",\"DeleteProcessedDocuments\":true}],"),
                null
            );
            await scene.PutAsync("orders/1", "{}");
            await EtlTasksTests.UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
            await tasks.SetPositionAsync(id, null, 0);
            await tasks.PauseAsync(id);
        }
        Assert.Empty(Check(scene));
        await scene.Database.SubmitAsync(
            new StoreValuesOperation().Set(TaskPosition.Key(7, "all"), new byte[31]).Set("etl/odd", [1]).Set("etl/task/9", "{"u8.ToArray())
        );
        Assert.Equal(
            [
                "the value 'etl/odd' is of no known kind",
                "the value 'etl/position/7/all' of 31 bytes is malformed",
                "the value 'etl/task/9' of 1 bytes is malformed",
            ],
            Check(scene)
        );
    }

    private static List<string> Check(Scene scene)
    {
        var findings = new List<string>();
        using var reader = scene.Database.OpenRead("test");
        EtlRoom.Verify(reader.Of(EtlRoom.Instance), findings.Add);
        return findings;
    }
}

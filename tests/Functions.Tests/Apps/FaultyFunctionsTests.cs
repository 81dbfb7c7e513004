using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Functions.Tests.Apps;

/// <summary>A function app whose projection throws, hangs, or ends the process, in front of the real server.</summary>
[Trait("Category", "Slow")]
public sealed class FaultyFunctionsTests : IAsyncLifetime
{
    private const string Function = "FaultyFromQueue";

    private static readonly string s_program = Path.Combine(
        Repository.Root,
        "tests",
        "FaultyFunctions",
        "bin",
        "Release",
        "net10.0",
        "Jackdaw.FaultyFunctions"
    );

    private readonly string _marks = Path.Combine(Path.GetTempPath(), $"jackdaw-marks-{Guid.NewGuid()}");
    private Scene _scene = null!;

    public async Task InitializeAsync() => _scene = await Scene.OpenAsync();

    public async Task DisposeAsync()
    {
        await _scene.DisposeAsync();
        File.Delete(_marks);
    }

    [Fact]
    public async Task A_projection_that_throws_makes_one_dead_letter_and_no_marker_and_the_message_can_be_sent_again()
    {
        var message = await MessageAsync("mistake");
        await using var app = await StartAsync();
        var letter = Assert.Single(await app.DeadLettersAsync(Function, message));
        Assert.Contains(
            "The handler failed: System.InvalidOperationException: The projection has a mistake.",
            letter.GetProperty("reason").GetString(),
            StringComparison.Ordinal
        );
        Assert.Equal(message, letter.GetProperty("body").GetString());
        Assert.Equal(0, await CountAsync());
        // Mended.
        Assert.Empty(await app.DeadLettersAsync(Function, message));
        await RequireAppliedAsync();
    }

    [Theory]
    [InlineData("memory", "There is no memory just now")]
    [InlineData("network", "Another server does not answer just now")]
    public async Task What_no_message_is_to_blame_for_is_waited_out(string fault, string sentence)
    {
        var message = await MessageAsync(fault);
        await using var app = await StartAsync();
        Assert.Empty(await app.DeadLettersAsync(Function, message));
        Assert.Contains(sentence, app.Output, StringComparison.Ordinal);
        await RequireAppliedAsync();
    }

    /// <summary>Nothing ends a thread that does not return: the process ends, and its host starts another.</summary>
    [Fact]
    public async Task A_projection_that_hangs_ends_the_process_and_the_message_is_handled_by_the_next_one()
    {
        var message = await MessageAsync("hang");
        await using (var app = await StartAsync(("Jackdaw__LongestInvocation", "1"), ("Jackdaw__CancelGrace", "1")))
        {
            await RequireNoAnswerAsync(app, message);
            Assert.Equal(1, await app.WaitForExitAsync());
            Assert.Contains(
                $"{Function}: a handler has not ended 1 s after it was cancelled: this process ends.",
                app.Output,
                StringComparison.Ordinal
            );
        }
        Assert.Equal(0, await CountAsync());
        await RequireNextAppliesAsync(message);
    }

    [Fact]
    public async Task A_projection_that_ends_the_process_loses_nothing()
    {
        var message = await MessageAsync("end");
        await using (var app = await StartAsync())
        {
            await RequireNoAnswerAsync(app, message);
            Assert.NotEqual(0, await app.WaitForExitAsync());
        }
        Assert.Equal(0, await CountAsync());
        await RequireNextAppliesAsync(message);
    }

    private Task<FunctionAppUnderTest> StartAsync(params (string Name, string Value)[] more) =>
        FunctionAppUnderTest.StartAsync(FunctionAppUnderTest.Settings(_scene.Server.Url, more), s_program);

    /// <summary>A message, in Base64, at which the projection fails once.</summary>
    private async Task<string> MessageAsync(string fault)
    {
        var order = JsonSerializer.Serialize(
            new Dictionary<string, object>
            {
                ["Fault"] = fault,
                ["Marks"] = _marks,
                ["@metadata"] = new Dictionary<string, string> { ["@collection"] = "Orders" },
            }
        );
        await _scene.Wire.SendAsync("PUT", "/databases/shop/docs?id=orders/1", order);
        await Eventually.IsAsync(() => !_scene.Messages.IsEmpty);
        return Convert.ToBase64String(_scene.Messages.Single());
    }

    /// <summary>Whatever it answers, it is no success.</summary>
    private static async Task RequireNoAnswerAsync(FunctionAppUnderTest app, string message)
    {
        try
        {
            var (status, text) = await app.InvokeAsync(Function, message);
            Assert.True(status >= 400, text);
        }
        catch (HttpRequestException)
        {
            // The connection ended with the process.
        }
    }

    private async Task RequireNextAppliesAsync(string message)
    {
        await using var next = await StartAsync();
        Assert.Empty(await next.DeadLettersAsync(Function, message));
        await RequireAppliedAsync();
    }

    private async Task RequireAppliedAsync() => Assert.NotNull(await _scene.Wire.DocumentAsync("views", "faulty/orders/1"));

    private async Task<long> CountAsync() =>
        (await _scene.Wire.SendAsync("GET", "/databases/views/stats")).GetProperty("CountOfDocuments").GetInt64();
}

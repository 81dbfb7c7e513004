using System.Text.Json.Nodes;
using Bank.Projection;

namespace Bank.Commands;

/// <summary>Receives the accounts' events from the task over <c>@events</c> and keeps the projection, until it is ended.</summary>
internal sealed class ProjectCommand(string url, string listenOn)
{
    public async Task<int> RunAsync()
    {
        using var database = new BankDatabase(url);
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        await using var app = builder.Build();
        app.Urls.Add(listenOn);
        using var projection = new BalanceProjection(database);
        app.MapPost(
            "/events",
            async (HttpContext context) =>
            {
                var received = await JsonNode.ParseAsync(context.Request.Body, cancellationToken: context.RequestAborted);
                context.Response.StatusCode = await projection.ReceiveAsync((JsonObject)received!);
            }
        );
        await database.SetUpAsync($"{listenOn}/events");
        await projection.LoadAsync();
        await app.RunAsync();
        return 0;
    }
}

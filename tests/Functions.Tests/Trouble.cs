using System.Net.Http.Json;
using System.Text;
using System.Text.Json.Nodes;

namespace Jackdaw.Functions.Tests;

/// <summary>
/// Between a handler and the server: kills the handler before and behind any request, cuts requests and answers, holds them up, and
/// plants mistakes. One for each delivery of a message.
/// </summary>
internal sealed class Trouble(HttpMessageHandler inner, Random random, Mistake mistake, CancellationTokenSource life, double odds)
    : DelegatingHandler(inner)
{
    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        await MishapAsync(cancellationToken);
        HttpResponseMessage? answer = null;
        foreach (var sent in await PlantAsync(request))
        {
            if (IsBatch(sent))
                await HoldAsync(cancellationToken);
            answer?.Dispose();
            answer = await base.SendAsync(sent, cancellationToken);
            if (!answer.IsSuccessStatusCode)
                return answer;
            await MishapAsync(cancellationToken);
        }
        if (mistake != Mistake.None && IsBatch(request))
            answer!.Content = await AnswerAsync(request);
        return answer!;
    }

    private static bool IsBatch(HttpRequestMessage request) =>
        request.RequestUri?.AbsolutePath.EndsWith("/bulk_docs", StringComparison.Ordinal) == true;

    /// <summary>Now and then a batch is long on its way, so that others which read the same marker overtake it.</summary>
    private async Task HoldAsync(CancellationToken cancel)
    {
        int milliseconds;
        lock (random)
            milliseconds = random.Next(6) == 0 ? random.Next(1, 40) : 0;
        if (milliseconds > 0)
            await Task.Delay(milliseconds, cancel);
    }

    private async Task MishapAsync(CancellationToken cancel)
    {
        double roll;
        int delay;
        lock (random)
            (roll, delay) = (random.NextDouble(), random.Next(4));
        if (delay == 0)
            await Task.Delay(2, cancel);
        if (roll < odds)
        {
            await life.CancelAsync();
            throw new OperationCanceledException("Killed.", life.Token);
        }
        if (roll < 2 * odds)
            throw new HttpRequestException("Cut.");
    }

    private async Task<IReadOnlyList<HttpRequestMessage>> PlantAsync(HttpRequestMessage request)
    {
        if (mistake == Mistake.None || !IsBatch(request))
            return [request];
        var body = (JsonObject)JsonNode.Parse(await request.Content!.ReadAsStringAsync(CancellationToken.None))!;
        var commands = ((JsonArray)body["Commands"]!).Select(command => (JsonObject)command!.DeepClone()).ToList();
        switch (mistake)
        {
            case Mistake.NoConditions:
                commands.ForEach(command => command["ChangeVector"] = null);
                break;
            case Mistake.NoMarkersOfDeletions:
                commands.RemoveAll(command => (bool?)command["Document"]?["IsDeleted"] == true);
                break;
            case Mistake.NoMarkers:
                commands.RemoveAll(command => command["Document"]?["IsDeleted"] is not null);
                break;
            case Mistake.SeveralBatches:
                return [.. commands.Select(command => Copy(request, [command]))];
            case Mistake.NewIdsOfEffects:
                foreach (
                    var effect in commands.Select(command => command["Document"] as JsonObject).Where(one => one?["EventId"] is not null)
                )
                    effect!["EventId"] = Guid.NewGuid().ToString();
                break;
        }
        return [Copy(request, commands)];
    }

    /// <summary>What the handler would have heard of the commands that it sent.</summary>
    private static async Task<HttpContent> AnswerAsync(HttpRequestMessage request)
    {
        var body = JsonNode.Parse(await request.Content!.ReadAsStringAsync(CancellationToken.None))!;
        return JsonContent.Create(new { Results = ((JsonArray)body["Commands"]!).Select(_ => new { }) });
    }

    private static HttpRequestMessage Copy(HttpRequestMessage request, IEnumerable<JsonObject> commands)
    {
        var body = new JsonObject { ["Commands"] = new JsonArray([.. commands.Select(command => command.DeepClone())]) };
        return new HttpRequestMessage(request.Method, request.RequestUri)
        {
            Content = new StringContent(body.ToJsonString(), Encoding.UTF8, "application/json"),
        };
    }
}

using System.Globalization;
using System.Text.Json.Nodes;
using Jackdaw.Demo.Setup;
using Jackdaw.Functions.Handlers.Samples;

namespace Jackdaw.Demo.Traffic;

/// <summary>What the functions have made, compared with what was saved.</summary>
internal sealed class ReadModel(JackdawServer server)
{
    private const int FirstVersion = 1;
    private static readonly OrderSummaries s_orders = new(FirstVersion);
    private static readonly AccountBalances s_accounts = new(FirstVersion);

    /// <summary>Returns what does not yet equal its source; empty when everything does.</summary>
    public async Task<IReadOnlyList<string>> DifferencesAsync(Round round)
    {
        var differences = new List<string>();
        foreach (var order in round.Saved)
        {
            var summary = await SummaryAsync(order.Id);
            if (summary is null || (int)summary["Lines"]! != order.Lines.Count || (decimal)summary["Total"]! != order.Total)
                differences.Add($"the summary of {order} is {summary?.ToJsonString() ?? "not there"}");
        }
        foreach (var id in round.Deleted)
            if (await SummaryAsync(id) is not null)
                differences.Add($"{id} is deleted, and its summary is there");
        foreach (var account in Round.Accounts)
        {
            var expected = Sum(await server.EventsAsync(Names.Source, account));
            var balance = await BalanceAsync(account);
            if (balance is null || (long)balance["Balance"]! != expected)
                differences.Add(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"the events of {account} make {expected}, and its balance is {balance?.ToJsonString() ?? "not there"}"
                    )
                );
        }
        return differences;
    }

    /// <summary>Prints the documents of a round.</summary>
    public async Task ShowAsync(Round round, Screen screen)
    {
        foreach (var order in round.Saved)
            if (await SummaryAsync(order.Id) is { } summary)
                screen.Say("read model", $"{s_orders.IdOf(order.Id)} {Members(summary)}");
        foreach (var account in Round.Accounts)
            if (await BalanceAsync(account) is { } balance)
                screen.Say("read model", $"{s_accounts.IdOf(account)} {Members(balance)}");
    }

    private Task<JsonObject?> SummaryAsync(string order) => server.DocumentAsync(Names.ReadModel, s_orders.IdOf(order));

    private Task<JsonObject?> BalanceAsync(string account) => server.DocumentAsync(Names.ReadModel, s_accounts.IdOf(account));

    private static long Sum(IEnumerable<JsonObject> events) => events.Sum(one => (long?)one["deposited"] ?? -(long)one["withdrawn"]!);

    /// <summary>The document without its metadata.</summary>
    private static string Members(JsonObject document)
    {
        var shown = (JsonObject)document.DeepClone();
        shown.Remove("@metadata");
        return shown.ToJsonString();
    }
}

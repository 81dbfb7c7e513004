using System.Text.Json.Nodes;
using Jackdaw.Demo.Setup;
using Jackdaw.Functions.Handlers.Samples;

namespace Jackdaw.Demo.Traffic;

/// <summary>What is saved in one round: three new orders, one changed and one deleted order of the round before, and events of two
/// accounts. The second account withdraws so much that the outside is notified.</summary>
/// <param name="number">Counted over all runs on a folder, from 1.</param>
internal sealed class Round(int number)
{
    private const int NewOrders = 3;
    private static readonly string[] s_products = ["a shiny button", "a silver spoon", "a glass bead", "a brass key"];
    private static readonly string[] s_companies = ["companies/1", "companies/2"];

    /// <summary>The orders as they are at the end of the round.</summary>
    public IReadOnlyList<Order> Saved { get; } =
    [
        .. Enumerable.Range(1, NewOrders).Select(one => OrderOf(number, one, extraLines: 0)),
        .. number == 1 ? Array.Empty<Order>() : [OrderOf(number - 1, 1, extraLines: 1)],
    ];

    /// <summary>The ids of the orders that are deleted.</summary>
    public IReadOnlyList<string> Deleted { get; } = number == 1 ? [] : [IdOf(number - 1, 2)];

    /// <summary>The accounts that get events.</summary>
    public static IReadOnlyList<string> Accounts { get; } = ["account-1", "account-2"];

    /// <summary>How many messages go to the queue of orders: one for each change.</summary>
    public int OrderMessages => Saved.Count + Deleted.Count;

    /// <summary>How many messages go to the queue of accounts: one for each event.</summary>
    public static int AccountMessages => Accounts.Sum(account => EventsOf(account).Count);

    /// <summary>The account of the large withdrawal, and the number of that event; known when the round has been saved.</summary>
    public (string Account, long Number) Notice { get; private set; }

    /// <summary>Saves everything.</summary>
    public async Task SaveAsync(JackdawServer server, Screen screen)
    {
        foreach (var order in Saved)
        {
            await server.PutAsync(Names.Source, order.Id, Order.Collection, order.ToDocument());
            screen.Say("saved", $"{order}");
        }
        foreach (var id in Deleted)
        {
            await server.DeleteAsync(Names.Source, id);
            screen.Say("deleted", id);
        }
        foreach (var account in Accounts)
        {
            var events = EventsOf(account);
            Notice = (account, await server.AppendAsync(Names.Source, account, events));
            screen.Say("appended", $"{account}: {string.Join(", ", events.Select(one => one.ToJsonString()))}");
        }
    }

    /// <summary>The large withdrawal is the last event of the last account.</summary>
    private static IReadOnlyList<JsonObject> EventsOf(string account) =>
        account == Accounts[^1]
            ? [new() { ["deposited"] = 2 * AccountBalances.LargeAmount }, new() { ["withdrawn"] = AccountBalances.LargeAmount }]
            : [new() { ["deposited"] = 100 }, new() { ["withdrawn"] = 30 }];

    private static string IdOf(int round, int one) => $"orders/{round}-{one}";

    private static Order OrderOf(int round, int one, int extraLines) =>
        new(
            IdOf(round, one),
            s_companies[one % s_companies.Length],
            [
                .. Enumerable
                    .Range(0, one + extraLines)
                    .Select(line => new OrderLine(
                        s_products[(round + line) % s_products.Length],
                        1.5m * (one + line),
                        round % 5 + line + 1
                    )),
            ]
        );
}

using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace Jackdaw.Functions.Tests;

/// <summary>
/// Each document of the read model equals what its source says, and each effect outside has come once after deduplication by
/// <c>webhook-id</c>. Knows nothing of how handlers work.
/// </summary>
internal static class Oracle
{
    /// <summary>The first thing that is wrong; null: nothing is.</summary>
    public static async Task<string?> FindAsync(
        Wire wire,
        IEnumerable<string> orders,
        IEnumerable<string> streams,
        IReadOnlyCollection<(string WebhookId, JsonElement Event)> notices
    )
    {
        foreach (var order in orders)
        {
            var expected = await wire.DocumentAsync("shop", order) is { } source ? Summary(source) : "none";
            var actual = await wire.DocumentAsync("views", $"summaries/{order}") is { } view
                ? $"{view.GetProperty("Company").GetString()}: {Text(view.GetProperty("Total").GetDecimal())}"
                : "none";
            if (expected != actual)
                return $"The summary of '{order}' is '{actual}', and its source says '{expected}'.";
        }
        var expectedNotices = new List<string>();
        foreach (var stream in streams)
        {
            var (balance, count) = (0L, 0);
            foreach (var one in await wire.EventsAsync("shop", stream))
            {
                var payload = one.GetProperty("payload");
                var withdrawn = payload.TryGetProperty("withdrawn", out var amount) ? amount.GetInt64() : 0;
                balance += payload.TryGetProperty("deposited", out var deposit) ? deposit.GetInt64() : -withdrawn;
                count++;
                if (withdrawn >= 1000)
                    expectedNotices.Add($"{stream} {one.GetProperty("number").GetInt64()}: {withdrawn}");
            }
            var id = $"balances/{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(stream)))}";
            var view = await wire.DocumentAsync("views", id);
            var actual = view is { } its
                ? $"{its.GetProperty("Balance").GetInt64()} after {its.GetProperty("Events").GetInt64()}"
                : "0 after 0";
            if (actual != $"{balance} after {count}")
                return $"The balance of '{stream}' is {actual} events, and its source says {balance} after {count}.";
        }
        var actualNotices = notices
            .DistinctBy(notice => notice.WebhookId)
            .Select(notice => Text(notice.Event))
            .Order(StringComparer.Ordinal);
        return actualNotices.SequenceEqual(expectedNotices.Order(StringComparer.Ordinal))
            ? null
            : $"The notices are [{string.Join(", ", actualNotices)}], and the source says [{string.Join(", ", expectedNotices)}].";
    }

    private static string Summary(JsonElement order) =>
        $"{order.GetProperty("Company").GetString()}: "
        + Text(
            order
                .GetProperty("Lines")
                .EnumerateArray()
                .Sum(line => line.GetProperty("PricePerUnit").GetDecimal() * line.GetProperty("Quantity").GetInt32())
        );

    private static string Text(decimal number) => number.ToString("0.##", CultureInfo.InvariantCulture);

    private static string Text(JsonElement notice)
    {
        var data = notice.GetProperty("data");
        return $"{data.GetProperty("Account").GetString()} {data.GetProperty("Number").GetInt64()}: {data.GetProperty("Amount").GetInt64()}";
    }
}

using System.Globalization;
using System.Text;

namespace Jackdaw.Bench.Load;

/// <summary>
/// Orders of about 1 KB, each made from its number: a unique number, a customer with 25 orders, a total with 900,000 distinct
/// values among a million, one of five
/// statuses, a date, three tags out of a thousand, and a text. Every order has a total above 0.
/// </summary>
internal sealed class OrderBodies : IBodies
{
    public const string Collection = "Orders";
    public const int OrdersOfACustomer = 25;
    private const int Texts = 1024;
    private const int TextBytes = 700;
    private static readonly string[] Statuses = ["New", "Paid", "Packed", "Shipped", "Returned"];
    private static readonly DateTime FirstDay = new(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc);
    private readonly string[] _texts = [.. new DocumentBodies().Lines(Texts).Select(line => line[250..(250 + TextBytes)])];

    /// <inheritdoc/>
    public int LongestBody => 1400;

    /// <summary>The number in the field <c>Customer</c>.</summary>
    public static long CustomerOf(long number) => Scatter(number) % 40_000 + 40_000 * (number / 1_000_000);

    /// <summary>The field <c>Total</c>: distinct for nine orders out of ten, with two decimals.</summary>
    public static decimal TotalOf(long number) => (number % 10 == 9 ? number - 1 : number) * 7919 % 100_000_000 / 100m + 0.25m;

    /// <summary>The field <c>Status</c>.</summary>
    public static string StatusOf(long number) => Statuses[Scatter(number + 1) % Statuses.Length];

    /// <summary>The field <c>OrderedAt</c>.</summary>
    public static string DateOf(long number) =>
        FirstDay.AddSeconds(number * 61).ToString("yyyy-MM-ddTHH:mm:ss.fffffff", CultureInfo.InvariantCulture);

    /// <summary>The three values of the field <c>Tags</c>.</summary>
    public static string[] TagsOf(long number)
    {
        long tag = Scatter(number);
        return
        [
            string.Create(CultureInfo.InvariantCulture, $"t{tag % 1000}"),
            string.Create(CultureInfo.InvariantCulture, $"t{tag / 7 % 1000}"),
            string.Create(CultureInfo.InvariantCulture, $"t{tag / 77 % 1000}"),
        ];
    }

    /// <inheritdoc/>
    public int WriteBody(long number, Span<byte> destination)
    {
        long tag = Scatter(number);
        return Encoding.UTF8.GetBytes(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{{\"Number\":{number},\"Customer\":\"customers/{CustomerOf(number)}\",\"Status\":\"{StatusOf(number)}\",\"Total\":{TotalOf(number)},\"OrderedAt\":\"{DateOf(number)}\",\"Tags\":[\"t{tag % 1000}\",\"t{tag / 7 % 1000}\",\"t{tag / 77 % 1000}\"],\"Weights\":[{tag % 500},{number % 900_000 + 1}],\"Text\":\"{_texts[tag % Texts]}\",\"@metadata\":{{\"@collection\":\"Orders\"}}}}"
            ),
            destination
        );
    }

    private static long Scatter(long number) => (long)(((ulong)number * 0x9E3779B97F4A7C15) >> 34);
}

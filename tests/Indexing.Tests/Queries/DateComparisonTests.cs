using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Running;
using Jackdaw.Indexing.Tests.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

/// <summary>
/// Random dates in every form that clients write, among other texts, held against <see cref="DateTimeOffset"/>: through queries that find
/// their index, through an index by its name, and through a filter.
/// </summary>
public class DateComparisonTests
{
    private const int Values = 150;
    private const int Rounds = 120;

    private static readonly string[] s_texts = ["2026", "2026-11", "2026-11-22T10", "2026-02-30", "later", "1", "", "2026-11-22 noon"];

    private static readonly string[] s_ways =
    [
        "from Docs where {0}",
        "from index 'Auto/Docs/Byexact(v)' where {0}",
        "from Docs filter {0}",
    ];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(null)]
    public async Task Dates_of_all_forms_compare_as_points_in_time(int? fixedSeed)
    {
        int seed = fixedSeed ?? TestSeed.Next();
        var random = new Random(seed);
        await using var db = await IndexedDatabase.OpenAsync(new IndexingOptions { Threads = 3 });
        var values = new List<Value>();
        for (int i = 0; i < Values; i++)
        {
            values.Add(NextValue(random));
            await db.PutAsync($"d/{i:000}", "Docs", $"\"v\":{JsonSerializer.Serialize(values[i].Text)}");
        }
        await IdsAsync(db, "from Docs where v = 'x' and exact(v = 'x')");
        for (int round = 0; round < Rounds; round++)
        {
            var (condition, fits) = NextCondition(random);
            string expected = Ids(Enumerable.Range(0, Values).Where(i => fits(values[i])));
            foreach (string query in s_ways)
            {
                string text = string.Format(CultureInfo.InvariantCulture, query, condition);
                string found = string.Join(' ', (await IdsAsync(db, text)).Order(StringComparer.Ordinal));
                Assert.True(expected == found, $"seed {seed}: {text}\nexpected {expected}\nfound    {found}");
            }
        }
        foreach (bool descending in new[] { false, true })
        {
            var order = Enumerable.Range(0, Values).ToList();
            order.Sort((a, b) => Compare(values[a], values[b]) is var c && c != 0 ? (descending ? -c : c) : a.CompareTo(b));
            var found = await IdsAsync(db, $"from Docs order by v{(descending ? " desc" : "")}");
            Assert.True(order.Select(i => $"d/{i:000}").SequenceEqual(found), $"seed {seed}: order {string.Join(' ', found)}");
        }
    }

    private static (string Condition, Func<Value, bool> Fits) NextCondition(Random random)
    {
        var (a, b) = (NextValue(random), NextValue(random));
        var (one, other) = (Quoted(a), Quoted(b));
        return random.Next(9) switch
        {
            0 => ($"v = {one}", v => Compare(v, a) == 0),
            1 => ($"v != {one}", v => Compare(v, a) != 0),
            2 => ($"v < {one}", v => Compare(v, a) < 0),
            3 => ($"v <= {one}", v => Compare(v, a) <= 0),
            4 => ($"v > {one}", v => Compare(v, a) > 0),
            5 => ($"v >= {one}", v => Compare(v, a) >= 0),
            6 => ($"v between {one} and {other}", v => Compare(v, a) >= 0 && Compare(v, b) <= 0),
            7 => ($"v in ({one}, {other})", v => Compare(v, a) == 0 || Compare(v, b) == 0),
            _ => ($"exact(v = {one})", v => v.Text == a.Text),
        };
    }

    /// <summary>Dates by their moments; texts, and dates among texts, by the bytes that docs/queries.md tells.</summary>
    private static int Compare(Value one, Value other) =>
        one.Moment is { } a && other.Moment is { } b ? a.CompareTo(b) : string.CompareOrdinal(one.Shown, other.Shown);

    /// <summary>Mostly dates out of few moments, so that many are equal, or a tick, an hour or a day apart.</summary>
    private static Value NextValue(Random random)
    {
        if (random.Next(8) == 0)
            return new Value(s_texts[random.Next(s_texts.Length)], null);
        var moment = new DateTimeOffset(2026, 11, 22, 0, 0, 0, TimeSpan.Zero)
            .AddDays(random.Next(-1, 2))
            .AddHours(random.Next(3) == 0 ? random.Next(24) : 0)
            .AddMinutes(random.Next(4) == 0 ? 30 : 0)
            .AddSeconds(random.Next(4) == 0 ? 59 : 0)
            .AddTicks(random.Next(3) == 0 ? random.Next(-1, 2) : 0)
            .AddMilliseconds(random.Next(4) == 0 ? random.Next(1000) : 0);
        return new Value(Written(moment, random), moment);
    }

    private static string Written(DateTimeOffset moment, Random random)
    {
        string zone = "";
        switch (random.Next(5))
        {
            case 0:
                zone = "Z";
                break;
            case 1:
                moment = moment.ToOffset(TimeSpan.FromMinutes(15 * random.Next(-50, 51)));
                string sign = moment.Offset < TimeSpan.Zero ? "-" : "+";
                zone = sign + moment.Offset.ToString(random.Next(2) == 0 ? "hh\\:mm" : "hhmm", CultureInfo.InvariantCulture);
                break;
            case 2:
                moment = moment.ToOffset(TimeSpan.FromHours(random.Next(-12, 15)));
                zone = (moment.Offset < TimeSpan.Zero ? "-" : "+") + moment.Offset.ToString("hh", CultureInfo.InvariantCulture);
                break;
        }
        var text = new StringBuilder(moment.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture));
        if (zone.Length == 0 && moment.TimeOfDay == TimeSpan.Zero && random.Next(2) == 0)
            return text.ToString();
        text.Append(random.Next(6) == 0 ? ' ' : 'T').Append(moment.ToString("HH:mm", CultureInfo.InvariantCulture));
        string fraction = moment.ToString("fffffff", CultureInfo.InvariantCulture).TrimEnd('0');
        if (fraction.Length == 0 && moment.Second == 0 && random.Next(4) == 0)
            return text.Append(zone).ToString();
        text.Append(moment.ToString("\\:ss", CultureInfo.InvariantCulture));
        fraction = fraction.PadRight(random.Next(fraction.Length, 8), '0');
        return text.Append(fraction.Length > 0 ? "." + fraction : "").Append(zone).ToString();
    }

    private static string Quoted(Value value) => $"'{value.Text}'";

    private static string Ids(IEnumerable<int> found) => string.Join(' ', found.Select(i => $"d/{i:000}"));

    private static async Task<List<string>> IdsAsync(IndexedDatabase db, string query)
    {
        var plan = QueryPlanner.Plan(query, RqlParameters.None);
        var index = (await IndexChoice.MakeAsync(db.Database, plan, CancellationToken.None)).Index;
        if (index is not null)
            await db.CatchUpAsync(index);
        using var reading = new QueryReading(plan, scripts: null, CancellationToken.None);
        using var moments = new QueryMoments(db.Database);
        var ids = new List<string>();
        while (!reading.IsAtEnd)
        {
            using var moment = await moments.OpenAsync(index, "test", CancellationToken.None);
            if (reading.Begin(moment))
            {
                while (reading.MoveNext(out var document))
                    ids.Add(Encoding.UTF8.GetString(document.Id));
                moments.Keep(moment);
            }
            reading.End();
        }
        return ids;
    }

    private sealed record Value(string Text, DateTimeOffset? Moment)
    {
        /// <summary>As it stands among texts.</summary>
        public string Shown { get; } =
            Moment?.UtcDateTime.ToString("yyyy-MM-dd't'HH:mm:ss.fffffff'z'", CultureInfo.InvariantCulture) ?? Text.ToLowerInvariant();
    }
}

using System.Text;
using Jackdaw.Search.Entries;
using Jackdaw.Search.Queries;
using Xunit;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>The tables of docs/search.md, a test a cell.</summary>
public sealed class ValueTableTests : IDisposable
{
    // Rows are what an entry has, columns what is asked.
    private const string Equalities = """
        | value      | = null | = [] | = "" | = "5" | = 5 | != null | != "5" | != 5 |
        |------------|--------|------|------|-------|-----|---------|--------|------|
        | missing    | no     | no   | no   | no    | no  | yes     | yes    | yes  |
        | null       | yes    | no   | no   | no    | no  | no      | yes    | yes  |
        | []         | no     | yes  | no   | no    | no  | yes     | yes    | yes  |
        | ""         | no     | no   | yes  | no    | no  | yes     | yes    | yes  |
        | "5"        | no     | no   | no   | yes   | no  | yes     | no     | yes  |
        | 5          | no     | no   | no   | no    | yes | yes     | yes    | no   |
        | ["a",null] | yes    | no   | no   | no    | no  | no      | yes    | yes  |
        """;

    private const string Memberships = """
        | value      | in (null, "5") | in ("", 5) | in ([]) | all in ("a", null) | exists | not exists |
        |------------|----------------|------------|---------|--------------------|--------|------------|
        | missing    | no             | no         | no      | no                 | no     | yes        |
        | null       | yes            | no         | no      | no                 | yes    | no         |
        | []         | no             | no         | yes     | no                 | yes    | no         |
        | ""         | no             | yes        | no      | no                 | yes    | no         |
        | "5"        | yes            | no         | no      | no                 | yes    | no         |
        | 5          | no             | yes        | no      | no                 | yes    | no         |
        | ["a",null] | yes            | no         | no      | yes                | yes    | no         |
        """;

    private const string Ranges = """
        | value      | 4..6 | "4".."6" | < 6 | > "" | any | begins "" | begins "5" | like * |
        |------------|------|----------|-----|------|-----|-----------|------------|--------|
        | missing    | no   | no       | no  | no   | no  | no        | no         | no     |
        | null       | no   | no       | no  | no   | no  | no        | no         | no     |
        | []         | no   | no       | no  | no   | no  | no        | no         | no     |
        | ""         | no   | no       | no  | no   | yes | yes       | no         | yes    |
        | "5"        | no   | yes      | no  | yes  | yes | yes       | yes        | yes    |
        | 5          | yes  | no       | yes | no   | yes | no        | no         | no     |
        | ["a",null] | no   | no       | no  | yes  | yes | yes       | no         | yes    |
        """;

    private static readonly string[] s_tables = [Equalities, Memberships, Ranges];

    /// <summary>First to last.</summary>
    private static readonly Dictionary<string, string[]> s_orders = new()
    {
        ["text"] = ["missing", "null", "[\"a\",null]", "[]", "\"\"", "-7", "10", "5", "\"5\"", "\"abc\""],
        ["text descending"] = ["\"abc\"", "5", "\"5\"", "10", "-7", "\"\"", "[]", "null", "[\"a\",null]", "missing"],
        ["number"] = ["missing", "\"\"", "\"5\"", "\"abc\"", "null", "[\"a\",null]", "[]", "-7", "5", "10"],
        ["number descending"] = ["10", "5", "-7", "[]", "null", "[\"a\",null]", "missing", "\"\"", "\"5\"", "\"abc\""],
    };

    private readonly IndexScene _scene = new();

    public static TheoryData<string, string, bool> Cells
    {
        get
        {
            var cells = new TheoryData<string, string, bool>();
            foreach (string[][] rows in s_tables.Select(Parts))
            {
                foreach (var row in rows.Skip(2))
                {
                    for (int i = 1; i < row.Length; i++)
                        cells.Add(row[0], rows[0][i], row[i] == "yes");
                }
            }
            return cells;
        }
    }

    public static TheoryData<string> Orders => [.. s_orders.Keys];

    public void Dispose() => _scene.Dispose();

    [Theory]
    [MemberData(nameof(Cells))]
    public void A_value_fits_a_condition_as_the_table_says(string value, string condition, bool fits)
    {
        Add("other", "\"zzz\"");
        Add("it", value);
        _scene.Commit();
        using var reader = _scene.Read();
        using var result = reader.Search(new SearchRequest { Query = Parse(condition) });
        Span<long> found = new long[8];
        found = found[..result.Read(found)];
        Assert.Equal(fits, found.Contains(2));
        Assert.Equal(found.Length, result.Total);
    }

    [Theory]
    [MemberData(nameof(Orders))]
    public void Values_are_ordered_as_the_table_says(string order)
    {
        // By entry id what has no value of the kind follows each other as added.
        string[] values = ["missing", "\"\"", "\"5\"", "\"abc\"", "null", "[\"a\",null]", "[]", "-7", "5", "10"];
        if (order.StartsWith("text", StringComparison.Ordinal))
            values = ["missing", "null", "[\"a\",null]", "[]", "\"\"", "-7", "10", "5", "\"5\"", "\"abc\""];
        foreach (string value in values)
            Add("at " + value, value);
        _scene.Commit();
        using var reader = _scene.Read();
        var kind = order.StartsWith("text", StringComparison.Ordinal) ? SearchOrderKind.Text : SearchOrderKind.Number;
        var request = new SearchRequest
        {
            Query = new SearchQuery.All(),
            Order = [new SearchOrder(kind, "Value", order.EndsWith("descending", StringComparison.Ordinal))],
        };
        using var result = reader.Search(request);
        var found = new long[100];
        int count = result.Read(found);
        Assert.Equal(s_orders[order], found.Take(count).Select(id => values[id - 1]));
    }

    [Fact]
    public void The_tables_of_the_document_are_those_of_this_test()
    {
        string document = File.ReadAllText(Path.Combine(Repository(), "docs", "search.md"));
        foreach (string row in s_tables.SelectMany(table => table.Split('\n')))
            Assert.Contains(row.Trim(), document, StringComparison.Ordinal);
        foreach (var (order, values) in s_orders)
            Assert.Contains($"| {order} | {string.Join(", ", values.Select(value => $"`{value}`"))} |", document, StringComparison.Ordinal);
    }

    private static string[][] Parts(string table) =>
        [.. table.Split('\n').Select(row => row.Trim('|', ' ', '\r').Split('|').Select(cell => cell.Trim()).ToArray())];

    private static string Repository()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (!File.Exists(Path.Combine(folder.FullName, "Directory.Packages.props")))
            folder = folder.Parent!;
        return folder.FullName;
    }

    private void Add(string source, string value)
    {
        var batch = _scene.Batch;
        batch.BeginSource(Encoding.UTF8.GetBytes(source));
        batch.BeginEntry();
        ushort field = batch.Field("Value", new FieldOptions());
        batch.AddText(batch.Field("Source", new FieldOptions()), Encoding.UTF8.GetBytes(source));
        switch (value)
        {
            case "missing":
                break;
            case "[]":
                batch.AddEmptyArray(field);
                break;
            default:
                foreach (string one in value.Trim('[', ']').Split(','))
                    AddOne(batch, field, one);
                break;
        }
    }

    private static void AddOne(EntryBatch batch, ushort field, string value)
    {
        if (value == "null")
            batch.AddNull(field);
        else if (value.StartsWith('"'))
            batch.AddText(field, Encoding.UTF8.GetBytes(value.Trim('"')));
        else
            batch.AddNumber(field, new SearchNumber(double.Parse(value, System.Globalization.CultureInfo.InvariantCulture)));
    }

    private static SearchQuery Parse(string condition)
    {
        string[] parts = condition.Split(' ', 2);
        return condition switch
        {
            "exists" => new SearchQuery.Exists("Value"),
            "not exists" => new SearchQuery.Not(new SearchQuery.Exists("Value")),
            "any" => new SearchQuery.Range("Value", null, false, null, false),
            "4..6" => Range(Value("4"), Value("6")),
            "\"4\"..\"6\"" => Range(Value("\"4\""), Value("\"6\"")),
            "< 6" => Range(null, Value("6")),
            "> \"\"" => new SearchQuery.Range("Value", Value("\"\""), false, null, false),
            "like *" => new SearchQuery.Wildcard("Value", "*"),
            _ when parts[0] == "begins" => new SearchQuery.Prefix("Value", parts[1].Trim('"')),
            _ when parts[0] == "=" => new SearchQuery.Term("Value", Value(parts[1])),
            _ when parts[0] == "!=" => new SearchQuery.Not(new SearchQuery.Term("Value", Value(parts[1]))),
            _ => new SearchQuery.In("Value", [.. List(condition)], IsAll: parts[0] == "all"),
        };
    }

    private static IEnumerable<SearchValue> List(string condition) =>
        condition[(condition.IndexOf('(') + 1)..^1].Split(',').Select(value => Value(value.Trim()));

    private static SearchQuery.Range Range(SearchValue? from, SearchValue? to) => new("Value", from, true, to, true);

    private static SearchValue Value(string text) =>
        text switch
        {
            "null" => SearchValue.Null,
            "[]" => SearchValue.EmptyArray,
            _ when text.StartsWith('"') => new SearchValue.Text(text.Trim('"')),
            _ => new SearchValue.Number(new SearchNumber(double.Parse(text, System.Globalization.CultureInfo.InvariantCulture))),
        };
}

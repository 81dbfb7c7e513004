using System.Text;
using System.Text.Json;
using Jackdaw.Indexing.Queries;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

public class IncludePathTests
{
    private const string Order = """
        {
          "company": "companies/1", "employee": 5, "none": null, "empty": "", "yes": true, "big": 9007199254740993,
          "address": { "cityId": "cities/1", "company": "companies/9" },
          "lines": [ { "product": "products/1", "tags": ["a/1", ["a/2"]] }, 7, { "product": "products/2" }, { "product": null } ],
          "byName": { "people/1": { "id": "x/1" }, "people\/2": { "id": "x/2" } },
          "s\u0070lit": "sp/1", "größe": "gr\u00f6\u00dfe/1", "a.b": "no"
        }
        """;

    [Theory]
    [InlineData("company", "companies/1")]
    [InlineData("employee", "5")]
    [InlineData("big", "9007199254740993")]
    [InlineData("none", "")]
    [InlineData("empty", "")]
    [InlineData("yes", "")]
    [InlineData("missing", "")]
    [InlineData("Company", "")]
    [InlineData("address", "")]
    [InlineData("address.cityId", "cities/1")]
    [InlineData("company.cityId", "")]
    [InlineData("lines[].product", "products/1 products/2")]
    [InlineData("lines.product", "products/1 products/2")]
    [InlineData("lines[2].product", "products/2")]
    [InlineData("lines[9].product", "")]
    [InlineData("lines[].tags", "a/1 a/2")]
    [InlineData("lines[].tags[]", "a/1 a/2")]
    [InlineData("lines", "7")]
    [InlineData("byName.$Keys", "people/1 people/2")]
    [InlineData("byName.$Values.id", "x/1 x/2")]
    [InlineData("split", "sp/1")]
    [InlineData("größe", "größe/1")]
    [InlineData("employee(employees/)", "employees/5")]
    [InlineData("employee[employees/{0}-A]", "employees/5-A")]
    [InlineData("lines[].product(x/)", "x/products/1 x/products/2")]
    [InlineData("lines[].product[{0}/y]", "products/1/y products/2/y")]
    [InlineData("", "")]
    [InlineData(".", "")]
    [InlineData("[]", "")]
    [InlineData("()", "")]
    [InlineData("company[x]", "")]
    public void A_path_leads_to_the_ids_that_stand_there(string path, string ids)
    {
        var found = new List<string>();
        IncludePath.Parse(path).CollectIds(Encoding.UTF8.GetBytes(Order), found);

        Assert.Equal(ids, string.Join(' ', found));
    }

    [Fact]
    public void A_document_nested_as_deeply_as_one_can_be_is_walked()
    {
        const int depth = Documents.Limits.MaxJsonDepth;
        var json = string.Concat(Enumerable.Repeat("{\"a\":", depth - 1)) + "[\"deep/1\"]" + new string('}', depth - 1);

        var found = new List<string>();
        IncludePath.Parse(string.Join('.', Enumerable.Repeat("a", depth - 1))).CollectIds(Encoding.UTF8.GetBytes(json), found);

        Assert.Equal(["deep/1"], found);
    }

    [Fact]
    public void Random_paths_over_random_documents_find_what_a_walk_over_the_parsed_document_finds()
    {
        var seed = TestSeed.Next();
        var random = new Random(seed);
        for (var i = 0; i < 5_000; i++)
        {
            var json = RandomJson(random, 4, "{");
            var steps = Enumerable
                .Range(0, random.Next(1, 5))
                .Select(_ => (Name: "abc"[random.Next(3)].ToString(), Each: random.Next(3) == 0))
                .ToList();
            var path = string.Join('.', steps.Select(step => step.Name + (step.Each ? "[]" : "")));

            var found = new List<string>();
            IncludePath.Parse(path).CollectIds(Encoding.UTF8.GetBytes(json), found);

            using var document = JsonDocument.Parse(json);
            var expected = new List<string>();
            Walk(document.RootElement, [.. steps.SelectMany(step => step.Each ? new[] { step.Name, "[]" } : [step.Name])], expected);
            Assert.True(
                expected.SequenceEqual(found),
                $"Round {i} of JACKDAW_SEED={seed}: {path} in {json} gave {string.Join(' ', found)}, not {string.Join(' ', expected)}"
            );
        }
    }

    private static void Walk(JsonElement value, ReadOnlySpan<string> steps, List<string> ids)
    {
        if (value.ValueKind == JsonValueKind.Array)
        {
            var rest = steps is ["[]", ..] ? steps[1..] : steps;
            foreach (var element in value.EnumerateArray())
                Walk(element, rest, ids);
        }
        else if (steps.IsEmpty)
        {
            if (value.ValueKind is JsonValueKind.String or JsonValueKind.Number)
                ids.Add(value.ToString());
        }
        else if (value.ValueKind == JsonValueKind.Object)
        {
            foreach (var property in value.EnumerateObject())
            {
                if (property.NameEquals(steps[0]))
                    Walk(property.Value, steps[1..], ids);
            }
        }
    }

    private static string RandomJson(Random random, int depth, string? kind = null) =>
        (kind, depth == 0 ? random.Next(3) : random.Next(6)) switch
        {
            ("{", _) or (_, 3) => "{"
                + string.Join(
                    ", ",
                    Enumerable.Range(0, 3).Where(_ => random.Next(3) > 0).Select(n => $"\"{"abc"[n]}\": {RandomJson(random, depth - 1)}")
                )
                + "}",
            (_, 0) => random.Next(100).ToString(System.Globalization.CultureInfo.InvariantCulture),
            (_, 1) => "null",
            (_, 2) => $"\"id/{random.Next(100)}\"",
            _ => "[ " + string.Join(",", Enumerable.Range(0, random.Next(4)).Select(_ => RandomJson(random, depth - 1))) + " ]",
        };
}

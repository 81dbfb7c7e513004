using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Queries.Differences;

/// <summary>
/// Random conditions over random documents: the server's index, its filter, an index by its name that has nothing of the metadata, and a
/// plain evaluation of docs/queries.md find the same. Between the rounds documents are changed and deleted.
/// </summary>
public sealed class QueryDifferenceTests : IAsyncLifetime
{
    private const int Documents = 120;
    private const int QueriesOfRound = 60;
    private const int Rounds = 4;

    private readonly Dictionary<string, PlainDocument> _documents = [];
    private ServerScene _scene = null!;
    private string _named = "";

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync();
        // Of all documents: queries of the collection do not extend it.
        const string Query = "from @all_docs where exact(a = 1 or b.c = 1 or 'd e' = 1 or t[].u = 1)";
        var answer = await _scene.SendAsync("POST", "/queries", "", JsonSerializer.Serialize(new { Query }));
        _named = answer.Json.GetProperty("IndexName").GetString()!;
    }

    public Task DisposeAsync() => _scene.DisposeAsync().AsTask();

    /// <summary>Fixed ones, or those of JACKDAW_SEED: <c>7</c> or <c>100-200</c>.</summary>
    public static TheoryData<int> Seeds()
    {
        string[] ends = (Environment.GetEnvironmentVariable("JACKDAW_SEED") ?? "1-4").Split('-');
        int first = int.Parse(ends[0], CultureInfo.InvariantCulture);
        return [.. Enumerable.Range(first, int.Parse(ends[^1], CultureInfo.InvariantCulture) - first + 1)];
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task A_query_finds_what_a_plain_look_at_each_document_finds(int seed)
    {
        var random = new Random(seed);
        var differences = new List<string>();
        int found = 0;
        for (int round = 0; round < Rounds; round++)
        {
            await ChangeAsync(random, round == 0 ? Documents : Documents / 3);
            for (int i = 0; i < QueriesOfRound; i++)
            {
                var condition = RandomCondition.Next(random, depth: 3);
                string expected = string.Join(' ', _documents.Values.Where(condition.Fits).Select(d => d.Id).Order(StringComparer.Ordinal));
                found += expected.Length > 0 ? 1 : 0;
                foreach (string clauses in new[] { "from Docs as u where", "from Docs as u filter", $"from index \"{_named}\" as u where" })
                {
                    string actual = await FoundAsync($"{clauses} {condition.Rql}");
                    if (actual != expected)
                        differences.Add(Described(seed, clauses, condition.Rql, expected, actual));
                }
            }
        }
        Assert.True(differences.Count == 0, $"{differences.Count} differences\n{string.Join("\n\n", differences.Take(5))}");
        Assert.True(found > Rounds * QueriesOfRound / 4, $"only {found} conditions found anything");
    }

    private async Task ChangeAsync(Random random, int count)
    {
        for (int i = 0; i < count; i++)
        {
            string id = $"docs/{random.Next(Documents)}";
            if (random.Next(5) == 0 && _documents.Remove(id))
            {
                await _scene.DeleteAsync(id);
                continue;
            }
            var document = new PlainDocument(id, RandomDocuments.Json(random));
            _documents[id] = document;
            await _scene.PutAsync([(id, document.Json)]);
        }
    }

    private async Task<string> FoundAsync(string query)
    {
        var answer = await _scene.SendAsync(
            "POST",
            "/queries",
            "",
            JsonSerializer.Serialize(new { Query = query, WaitForNonStaleResults = true })
        );
        if (answer.Status != 200)
            return answer.Json.GetProperty("Message").GetString()!;
        string[] ids =
        [
            .. answer.Json.GetProperty("Results").EnumerateArray().Select(r => r.GetProperty("@metadata").GetProperty("@id").GetString()!),
        ];
        return ids.Length == answer.Json.GetProperty("TotalResults").GetInt32()
            ? string.Join(' ', ids.Order(StringComparer.Ordinal))
            : $"{ids.Length} results, and a total of {answer.Json.GetProperty("TotalResults")}";
    }

    private string Described(int seed, string clauses, string rql, string expected, string actual)
    {
        string[] differing = [.. expected.Split(' ').Except(actual.Split(' ')), .. actual.Split(' ').Except(expected.Split(' '))];
        var shown = differing.Where(_documents.ContainsKey).Take(2).Select(id => $"{id} {Short(_documents[id].Json)}");
        return $"seed {seed}: {clauses} {Short(rql)}\n  expected {expected}\n  found    {actual}\n  {string.Join("\n  ", shown)}";
    }

    /// <summary>Long runs of a letter are told by their length.</summary>
    private static string Short(string text) => Regex.Replace(text, @"(.)\1{20,}", run => $"<{run.Length} {run.Value[0]}>");
}

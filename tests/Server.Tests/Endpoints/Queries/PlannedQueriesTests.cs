using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Jackdaw.Indexing;
using Jackdaw.Server.Endpoints.Queries;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Queries;

/// <summary>Plans that are remembered.</summary>
public sealed class PlannedQueriesTests
{
    private const string Usual = """{"Query":"from Users where name = $p0 limit $p1, 25","QueryParameters":{"p0":"ann","p1":5}}""";

    private static readonly string[] s_queries =
    [
        "from Users where name = $a order by id()",
        "from Users where name in ($a, $b) order by age as long desc, id()",
        "from Users where age > $n and @metadata.team = $a order by id()",
        "from Users where startsWith(name, $a) order by id() limit $n, 3",
        "from Users where search(name, $a) order by id() select name, age",
        "from Users filter name = $a or age = $n",
        "from @all_docs where exact(name = $a) order by id()",
        "from index 'Auto/Users/Byname' where name = $a and @metadata.team = $b order by id()",
        "from Users where id() = $id",
        "from Users where name = $a and age between $n and 30 order by name select distinct name",
        "from Users as u where name = $a order by id() select { n: u.name, p: $b }",
    ];

    private readonly PlannedQueries _queries = new();

    [Fact]
    public void A_plan_is_remembered_from_the_second_time_on()
    {
        Assert.False(Get(Usual).WasRemembered);
        Assert.Equal(0, _queries.Count);
        var made = Get(Usual);
        Assert.False(made.WasRemembered);
        var again = Get(Usual);
        Assert.True(again.WasRemembered);
        Assert.Same(made.Plan, again.Plan);
        Assert.Equal(made.Body.Hash, again.Body.Hash);
        Assert.Equal((1, 2), (_queries.Hits, _queries.Misses));
    }

    [Theory]
    [InlineData("\"ann\"", "\"bob\"")]
    [InlineData("\"p1\":5", "\"p1\":6")]
    [InlineData("\"p1\":5", "\"p1\":null")]
    [InlineData("25", "26")]
    [InlineData("}}", "},\"Start\":7}")]
    [InlineData("}}", "},\"PageSize\":7}")]
    [InlineData("}}", "},\"WaitForNonStaleResults\":true}")]
    public void A_body_that_differs_in_anything_has_a_plan_of_its_own(string part, string other)
    {
        for (int i = 0; i < 3; i++)
            Get(Usual);
        var (body, plan, wasRemembered) = Get(Usual.Replace(part, other, StringComparison.Ordinal));

        Assert.False(wasRemembered);
        var (usualBody, usual, _) = Get(Usual);
        Assert.NotEqual((usual.ToString(), usualBody.WaitsForNonStaleResults), (plan.ToString(), body.WaitsForNonStaleResults));
    }

    [Theory]
    [InlineData("from Users where born > now()")]
    [InlineData("from Users filter born > today()")]
    [InlineData("from Users order by random()")]
    public void A_plan_that_depends_on_the_time_or_on_chance_is_made_each_time(string query)
    {
        for (int i = 0; i < 4; i++)
            Assert.False(Get(JsonSerializer.Serialize(new { Query = query })).WasRemembered);
        Assert.Equal(0, _queries.Count);
    }

    /// <summary>An explanation tells whether a plan was remembered.</summary>
    [Fact]
    public void What_is_asked_of_one_database_cannot_be_learned_in_another()
    {
        for (int i = 0; i < 3; i++)
            Get(Usual);
        var other = Guid.NewGuid();
        Assert.False(Get(Usual, other).WasRemembered);
        Assert.False(Get(Usual, other).WasRemembered);
        Assert.True(Get(Usual, other).WasRemembered);
    }

    [Fact]
    public void A_query_that_cannot_be_planned_is_an_error_each_time()
    {
        for (int i = 0; i < 4; i++)
            Assert.ThrowsAny<QueryException>(() => Get("""{"Query":"from Users where name = $a"}"""));
        Assert.Equal((0, 4), (_queries.Count, _queries.Misses));
    }

    [Fact]
    public void No_more_are_remembered_than_the_limits()
    {
        int most = 0;
        for (int i = 0; i < 3 * PlannedQueries.MaxPlans; i++)
        {
            string body = $$"""{"Query":"from A where b = {{i}}"}""";
            Get(body);
            Get(body);
            most = Math.Max(most, _queries.Count);
        }
        Assert.InRange(most, PlannedQueries.MaxPlans / 2, PlannedQueries.MaxPlans);
        for (int i = 0; i < 300; i++)
        {
            string body = $$"""{"Query":"from A where b = '{{i}}{{new string('x', PlannedQueries.MaxBodyBytes - 60)}}'"}""";
            Get(body);
            Get(body);
            Assert.InRange(_queries.Count, 0, PlannedQueries.MaxPlans);
        }
        Assert.InRange(_queries.Count, 1, PlannedQueries.MaxBytes / (PlannedQueries.MaxBodyBytes - 60));
        string large = $$"""{"Query":"from A where b = '{{new string('x', PlannedQueries.MaxBodyBytes)}}'"}""";
        for (int i = 0; i < 3; i++)
            Assert.False(Get(large).WasRemembered);
    }

    /// <summary>Few texts and few values come again and again, while indexes are made, extended, deleted, disabled and reset. Each body
    /// comes once more with a number at its beginning that no other has: that plan is made anew.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task A_remembered_plan_answers_as_one_that_is_made_anew_whatever_becomes_of_the_indexes(int seed)
    {
        await using var scene = await ServerScene.OpenAsync(indexing: options => options with { MergeDelay = TimeSpan.Zero });
        var random = new Random(seed);
        for (int step = 0; step < 250; step++)
        {
            await ChangeAsync(scene, random);
            // One that is named is not to go between the two answers.
            await Eventually.IsAsync(() => scene.Indexes.All.All(index => !index.IsReplacement));
            string parameters = JsonSerializer.Serialize(
                new
                {
                    a = s_names[random.Next(2)],
                    b = "Bob",
                    n = random.Next(2) * 10,
                    id = "users/1",
                }
            );
            string body =
                $"{{\"Query\":{JsonSerializer.Serialize(s_queries[random.Next(s_queries.Length)])},\"QueryParameters\":{parameters}"
                + ",\"WaitForNonStaleResults\":true}";
            var anew = await scene.SendAsync("POST", "/queries", "", $"{{\"Once\":{step},{body[1..]}");
            var actual = await scene.SendAsync("POST", "/queries", "", body);
            Assert.True(Told(actual) == Told(anew), $"seed {seed}, step {step}: {body}\n{Told(actual)}\n{Told(anew)}");
        }
        Assert.InRange(scene.State.PlannedQueries.Hits, 50, 250);
    }

    [Fact]
    public async Task An_explanation_and_the_metrics_tell_of_them()
    {
        await using var scene = await ServerScene.OpenAsync();
        const string Query = """{"Query":"from Users where name = 'ann'"}""";
        for (int i = 0; i < 3; i++)
        {
            var explained = await scene.SendAsync("POST", "/queries", "?debug=explain", Query);
            Assert.Equal(i == 2, explained.Json.GetProperty("IsPlanRemembered").GetBoolean());
        }
        var metrics = (await scene.RequestAsync("GET", "/metrics")).Text;
        Assert.Contains("jackdaw_queries_plans_total{result=\"hit\"} ", metrics, StringComparison.Ordinal);
        Assert.Contains("jackdaw_queries_plans_total{result=\"miss\"} ", metrics, StringComparison.Ordinal);
    }

    private static readonly string[] s_names = ["ann", "Bob", "bo", "ann bob"];

    private static async Task ChangeAsync(ServerScene scene, Random random)
    {
        int number = random.Next(30);
        string name = s_names[random.Next(s_names.Length)];
        var names = scene.Indexes.All.Where(index => !index.IsReplacement).Select(index => index.Name).ToArray();
        switch (random.Next(12))
        {
            case 0 when names.Length > 0:
                await scene.Indexes.DeleteAsync(names[random.Next(names.Length)]);
                break;
            case 1 when names.Length > 0:
                await scene.Indexes.ResetAsync(names[random.Next(names.Length)]);
                break;
            case 2 when number < 5:
                await scene.DeleteAsync($"users/{number}");
                break;
            default:
                string team = s_names[random.Next(2)];
                string json = $$$"""{"name":"{{{name}}}","age":{{{number}}},"@metadata":{"@collection":"Users","team":"{{{team}}}"}}""";
                await scene.PutAsync([($"users/{number}", json)]);
                break;
        }
    }

    /// <summary>What an answer says, without what is of its moment: an index may be replaced between two answers.</summary>
    private static string Told(ServedAnswer answer) =>
        $"{answer.Status} "
        + (
            answer.Status == 200
                ? string.Join(
                    '\n',
                    answer
                        .Json.EnumerateObject()
                        .Where(property =>
                            property.Name is "TotalResults" or "Results" or "IsStale" or "ScannedResults" or "SkippedResults"
                        )
                        .Select(property => property.Value.ToString())
                )
                : Regex.Replace(answer.Text, "\"(At|Url)\":\"[^\"]*\"", "")
        );

    private (QueryBody Body, Jackdaw.Indexing.Queries.QueryPlan Plan, bool WasRemembered) Get(string body, Guid database = default) =>
        _queries.Get(database, Encoding.UTF8.GetBytes(body), TimeProvider.System);
}

using System.Globalization;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests.Regressions;

/// <summary>
/// An import had written ids with numbers itself, while the identity stood at the beginning: the next <c>users|</c> tried every
/// used number, one after another, on the
/// merger's thread, and everybody else's writes waited for it.
/// </summary>
public sealed class UsedNumbersTests : IDisposable
{
    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Theory]
    [InlineData("users|", "users/{0}", "users/8001")]
    [InlineData("USERS|", "users/{0}", "USERS/8001")]
    [InlineData("users/", "users/{0:D19}-A", null)]
    public void Thousands_of_used_numbers_are_passed_over_in_a_few_probes(string asked, string pattern, string? expected)
    {
        const int Used = 8000;
        // The numbers of "users/" follow the etags: those right behind the present one are taken.
        long first = asked == "users/" ? Used + 1 : 1;
        Write(pattern, Enumerable.Range(0, Used).Select(i => first + i));
        long probes = Probes(asked, out string id);
        Assert.Equal(expected ?? string.Format(CultureInfo.InvariantCulture, pattern, (2 * Used) + 1), id);
        Assert.InRange(probes, 1, 130);
        if (!asked.EndsWith('|'))
            return;
        var next = new NextIdentityOperation(asked);
        _database.Do(next);
        Assert.Equal(Used + 2, next.Value);
    }

    [Fact]
    public void Any_pattern_of_used_numbers_ends_in_a_few_probes_at_an_id_that_nobody_had()
    {
        string? seedText = Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED");
        int seed = seedText is null ? Random.Shared.Next() : int.Parse(seedText, CultureInfo.InvariantCulture);
        var random = new Random(seed);
        for (int round = 0; round < 20; round++)
        {
            string name = $"r{round}";
            var used = Enumerable.Range(0, 200).Select(_ => random.NextInt64(1, 1L << random.Next(2, 20))).ToHashSet();
            Write(name + "/{0}", used);
            for (int i = 0; i < 20; i++)
            {
                Assert.InRange(Probes(name + "|", out string id), 1, 130);
                Assert.True(
                    used.Add(long.Parse(id.AsSpan(name.Length + 1), CultureInfo.InvariantCulture)),
                    $"JACKDAW_TEST_SEED={seed}: {id} was used already"
                );
            }
        }
    }

    [Fact]
    public void Where_the_probes_find_only_used_numbers_up_to_the_last_the_id_is_refused_and_nothing_is_changed()
    {
        _database.Do(new SeedIdentityOperation("users", long.MaxValue - 4, force: true));
        Write("users/{0}", [long.MaxValue - 3, long.MaxValue - 2, long.MaxValue - 1]);
        Probes("users|", out string last);
        Assert.Equal($"users/{long.MaxValue}", last);
        Assert.Throws<NumbersExhaustedException>(() => _database.Do(TestDatabase.Put("users|", "{}")));
        Assert.Null(_database.Storage.Poison);
    }

    private void Write(string pattern, IEnumerable<long> numbers)
    {
        var batch = BatchOperation.Rent();
        foreach (long number in numbers)
            TestDatabase.AddPut(batch, string.Format(CultureInfo.InvariantCulture, pattern, number), "{}");
        _database.Do(batch);
    }

    /// <summary>How often it was looked whether there is a document of an id, and whatever was changed besides the document.</summary>
    private long Probes(string asked, out string id)
    {
        long before = _database.Writer.ExistenceChecks;
        var batch = BatchOperation.Rent();
        var put = TestDatabase.AddPut(batch, asked, "{}");
        _database.Do(batch);
        id = System.Text.Encoding.UTF8.GetString(put.Id);
        return _database.Writer.ExistenceChecks - before;
    }
}

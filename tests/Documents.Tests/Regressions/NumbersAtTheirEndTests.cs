using System.Buffers.Binary;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Layout;
using Xunit;

namespace Jackdaw.Documents.Tests.Regressions;

/// <summary>
/// One GET poisoned a database for every writer: it asked for a HiLo range beyond the largest number, the sum overflowed on the
/// merger's thread, and what is no declared
/// error poisons. The same with an identity seeded to the end, a HiLo document that a user had edited, and the ids of collections.
/// </summary>
public sealed class NumbersAtTheirEndTests : IDisposable
{
    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Theory]
    [InlineData(long.MaxValue)]
    [InlineData(long.MaxValue - 31)]
    public void A_range_beyond_the_largest_number_is_refused_to_him_who_asked_for_it(long lastMax) =>
        AssertRefused(new NextHiLoOperation("users", 99_999_999, null, lastMax, '/', Limits.Default));

    [Fact]
    public void The_last_range_of_all_is_handed_out_and_no_further_one()
    {
        var last = new NextHiLoOperation("users", 0, null, long.MaxValue - 32, '/', Limits.Default);
        _database.Do(last);
        Assert.Equal((long.MaxValue - 31, long.MaxValue), (last.Low, last.High));
        AssertRefused(new NextHiLoOperation("users", 0, null, 0, '/', Limits.Default));
    }

    [Fact]
    public void A_range_document_that_a_user_set_to_the_end_refuses_ranges()
    {
        _database.Do(TestDatabase.Put("Raven/Hilo/users", """{"Max":9223372036854775807,"@metadata":{"@collection":"@hilo"}}"""));
        AssertRefused(new NextHiLoOperation("users", 0, null, 0, '/', Limits.Default));
    }

    [Fact]
    public void An_identity_at_its_end_refuses_the_next_value_also_as_part_of_an_id()
    {
        _database.Do(new SeedIdentityOperation("users", long.MaxValue - 1, force: true));
        var last = new NextIdentityOperation("users");
        _database.Do(last);
        Assert.Equal(long.MaxValue, last.Value);
        AssertRefused(new NextIdentityOperation("users"));
        AssertRefused(TestDatabase.Put("users|", "{}"));
        // One command of many: the whole of it is refused, also what was done before.
        var batch = TestDatabase.Put("before", "{}");
        TestDatabase.AddPut(batch, "users|", "{}");
        AssertRefused(batch);
        Assert.Null(_database.Get("before"));
    }

    [Fact]
    public void A_collection_for_which_no_id_is_left_is_refused()
    {
        using (var writer = _database.Storage.BeginWrite())
        {
            var values = writer.Catalog.OpenTree(Schema.ValuesTree);
            BinaryPrimitives.WriteUInt32LittleEndian(values.Reserve(Schema.LastCollectionIdValue, sizeof(uint), out _), uint.MaxValue);
            writer.Commit();
        }
        Assert.True(_database.Storage.RunJournalStep());
        Assert.Throws<NumbersExhaustedException>(() => _database.Do(TestDatabase.Put("a", """{"@metadata":{"@collection":"New"}}""")));
        Assert.Null(_database.Storage.Poison);
    }

    private void AssertRefused(MergedOperation operation)
    {
        var innocent = _database.Merger.Submit(TestDatabase.Put("innocent", "{}")).AsTask();
        Assert.Throws<NumbersExhaustedException>(() => _database.Do(operation));
        Assert.True(innocent.IsCompletedSuccessfully);
        Assert.Null(_database.Storage.Poison);
    }
}

using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>What an index is held against to tell whether it is stale.</summary>
public class LastChangeTests
{
    [Fact]
    public async Task A_forgotten_deletion_counts_among_the_changes_of_all_documents_as_among_those_of_its_collection()
    {
        await using var db = await IndexedDatabase.OpenAsync(change: options =>
            options with
            {
                TombstoneCleaningInterval = TimeSpan.FromMilliseconds(10),
            }
        );
        await db.PutAsync("users/1", "Users", "");
        await db.DeleteAsync("users/1");
        await Eventually.IsAsync(() => db.Database.Statistics().TombstoneCount == 0);

        using var documents = db.Database.OpenRead("test");
        Assert.Equal(2, documents.LastChange("Users"));
        Assert.Equal(2, documents.LastChange());
    }
}

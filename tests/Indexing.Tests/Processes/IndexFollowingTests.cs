using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Mapping.Automatic;
using Jackdaw.Indexing.Processes;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Whose damage it is that an index meets.</summary>
public class IndexFollowingTests
{
    /// <summary>
    /// The simulator found that a damaged page of the documents, met while an index was being opened, counted as the index's own: the index
    /// was built again for nothing, and its environment stayed open.
    /// </summary>
    [Fact]
    public void A_damaged_page_of_the_documents_that_is_met_when_an_index_opens_is_not_the_indexs()
    {
        var database = Guid.NewGuid();
        var damage = new CorruptedDataException("data", 8192, "by a test");
        var documents = new FollowedDocuments(database, [], _ => throw damage, () => 0);
        var definition = IndexedDatabase.Over("Users", "name");
        using var map = AutomaticKind.Instance.Compile(definition);
        var options = IndexedDatabase.Options();
        var following = new IndexFollowing(documents, ["Users"], map, new IndexErrors(options.Clock), new IndexCounters(), options);
        var progress = new IndexProgress { Position = 7, DatabaseId = database };

        following.BeginTurn();
        Assert.Same(damage, Assert.Throws<CorruptedDataException>(() => following.WhyNotToGoOn(progress, "index")));
        Assert.True(following.ReadsDocuments);

        following.BeginTurn();
        Assert.False(following.ReadsDocuments);
    }
}

using Jackdaw.Server.Endpoints.BulkInsert;
using Jackdaw.Server.Endpoints.Operations;

namespace Jackdaw.Server.Tests.Endpoints.Operations;

public sealed class OperationRegistryTests
{
    private readonly OperationRegistry _operations = new();
    private readonly Guid _database = Guid.NewGuid();
    private readonly Guid _other = Guid.NewGuid();

    /// <summary>The server handed the same id out later, and the request that used it was refused.</summary>
    [Fact]
    public void An_id_that_a_client_chose_is_not_handed_out_to_another()
    {
        for (long id = 1; id <= 3; id++)
            Assert.NotNull(_operations.TryBegin(id, _database, BulkInsertProgress.None));
        Assert.NotNull(_operations.TryBegin(_operations.NextId(_database), _database, BulkInsertProgress.None));
        Assert.Equal(5, _operations.Begin(_database, BulkInsertProgress.None).Id);
    }

    /// <summary>All databases shared one sequence, so a client of one saw when others were at work.</summary>
    [Fact]
    public void Ids_are_counted_for_each_database_by_itself()
    {
        Assert.Equal(1, _operations.NextId(_database));
        Assert.Equal(1, _operations.Begin(_other, BulkInsertProgress.None).Id);
        Assert.Equal(2, _operations.NextId(_database));
    }

    [Fact]
    public void Each_database_has_ids_of_its_own()
    {
        var mine = _operations.TryBegin(7, _database, BulkInsertProgress.None);
        var theirs = _operations.TryBegin(7, _other, BulkInsertProgress.None);
        Assert.NotNull(mine);
        Assert.NotNull(theirs);
        Assert.Same(mine, _operations.Find(7, _database));
        Assert.Same(theirs, _operations.Find(7, _other));
        Assert.Null(_operations.TryBegin(7, _database, BulkInsertProgress.None));
        Assert.Null(_operations.Find(8, _database));
    }
}

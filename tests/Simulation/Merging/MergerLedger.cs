namespace Jackdaw.Simulation.Merging;

/// <summary>
/// What callers and readers know of a database; it outlives every crash. The state that each transaction left, by its number:
/// transaction 1 makes the environment,
/// 2 the database in it.
/// </summary>
internal sealed class MergerLedger
{
    public const long DatabaseMade = 2;

    private readonly SortedDictionary<long, DatabaseState> _states = new()
    {
        [1] = DatabaseState.Empty,
        [DatabaseMade] = DatabaseState.Empty,
    };

    /// <summary>The newest transaction of which somebody was told an outcome, or which somebody has read.</summary>
    public long Promised { get; private set; }

    /// <summary>The newest transaction that was committed, whatever became of it.</summary>
    public long Last { get; private set; } = DatabaseMade;

    public DatabaseState StateOf(long transaction)
    {
        OracleException.Require(
            _states.ContainsKey(transaction),
            $"transaction {transaction} is shown, but there never was such a one, or it must have been passed"
        );
        return _states[transaction];
    }

    public void Commit(DatabaseState state) => _states.Add(++Last, state);

    /// <summary>An answer or a read depends on this transaction.</summary>
    public void Promise(long transaction)
    {
        OracleException.Require(transaction <= Last, $"transaction {transaction} is promised; the last is {Last}");
        Promised = Math.Max(Promised, transaction);
    }

    /// <summary>The environment was opened and stands at this transaction: everything promised, and a prefix of the rest.</summary>
    public void Recover(long transaction)
    {
        OracleException.Require(transaction >= Promised, $"recovery ended at transaction {transaction}, but {Promised} was promised");
        OracleException.Require(transaction <= Last, $"recovery ended at transaction {transaction}, but {Last} was the last");
        foreach (var gone in _states.Keys.Where(id => id > transaction).ToArray())
            _states.Remove(gone);
        Last = Promised = transaction;
    }

    /// <summary>The database's first transaction is about to be made (again).</summary>
    public void MakeDatabase()
    {
        if (Last < DatabaseMade)
            Commit(DatabaseState.Empty);
    }

    /// <summary>No reader is older than this.</summary>
    public void Forget(long before)
    {
        while (_states.First().Key is var first && first < before && first < Promised)
            _states.Remove(first);
    }
}

namespace Jackdaw.Simulation.Histories;

/// <summary>What an outside observer knows of the environment; it outlives every crash. The state of each transaction, by its
/// number.</summary>
internal sealed class Ledger
{
    private readonly SortedDictionary<long, object[]> _states = [];

    public Ledger(object[] empty) => _states.Add(1, empty);

    /// <summary>The newest transaction whose caller was told that it is durable.</summary>
    public long Acknowledged { get; private set; }

    /// <summary>The newest transaction that a reader has seen, and may have told the world.</summary>
    public long Published { get; private set; }

    /// <summary>The newest transaction that was committed, whatever became of it.</summary>
    public long Last { get; private set; } = 1;

    public object[] StateOf(long transaction)
    {
        OracleException.Require(
            _states.ContainsKey(transaction),
            $"transaction {transaction} is shown, but there never was such a one, or it must have been passed"
        );
        return _states[transaction];
    }

    public void Commit(long transaction, object[] state)
    {
        OracleException.Require(transaction == Last + 1, $"transaction {transaction} follows {Last}");
        _states.Add(transaction, state);
        Last = transaction;
    }

    public void Acknowledge(long transaction)
    {
        OracleException.Require(
            transaction <= Last && transaction >= Acknowledged,
            $"transaction {transaction} is acknowledged after {Acknowledged}; the last is {Last}"
        );
        Acknowledged = transaction;
    }

    public void Publish(long transaction)
    {
        OracleException.Require(
            transaction == Acknowledged,
            $"a new reader sees transaction {transaction} where {Acknowledged} is the newest durable one"
        );
        Published = Math.Max(Published, transaction);
    }

    /// <summary>The environment was opened and stands at this transaction: everything acknowledged or published, and a prefix of
    /// the rest.</summary>
    public void Recover(long transaction)
    {
        OracleException.Require(
            transaction >= Acknowledged,
            $"recovery ended at transaction {transaction}, but {Acknowledged} was acknowledged"
        );
        OracleException.Require(
            transaction >= Published,
            $"recovery ended at transaction {transaction}, but a reader had seen {Published}"
        );
        Fall(transaction);
    }

    /// <summary>Damage was accepted as lost: the environment stands at some transaction, and what came after it never was.</summary>
    public void AcceptLoss(long transaction)
    {
        Fall(transaction);
        Published = transaction;
    }

    /// <summary>No reader is older than this: what was before is not asked for again.</summary>
    public void Forget(long before)
    {
        while (_states.First().Key is var first && first < before && first < Acknowledged)
            _states.Remove(first);
    }

    private void Fall(long transaction)
    {
        OracleException.Require(transaction <= Last, $"recovery ended at transaction {transaction}, but {Last} was the last");
        foreach (var gone in _states.Keys.Where(id => id > transaction).ToArray())
            _states.Remove(gone);
        Last = Acknowledged = transaction;
    }
}

namespace Jackdaw.Simulation.Lazy;

/// <summary>
/// What an outside observer knows of a lazily durable environment; it outlives every crash. The state of each transaction that is not
/// rolled back, and of those rolled back ones that a crash may bring back.
/// </summary>
internal sealed class LazyLedger
{
    private readonly SortedDictionary<long, object[]> _states = [];
    private readonly List<(long Transaction, object[] State)> _mayReturn = [];

    public LazyLedger(object[] empty) => _states.Add(1, empty);

    /// <summary>The newest transaction that is known to be durable.</summary>
    public long Durable { get; private set; }

    /// <summary>The newest transaction that was committed: what a reader has to see.</summary>
    public long Last { get; private set; } = 1;

    public object[] StateOf(long transaction)
    {
        OracleException.Require(_states.ContainsKey(transaction), $"transaction {transaction} is shown, but there is no such one");
        return _states[transaction];
    }

    public void Commit(long transaction, object[] state)
    {
        OracleException.Require(transaction == Last + 1, $"transaction {transaction} follows {Last}");
        _states.Add(transaction, state);
        Last = transaction;
    }

    /// <summary>The environment says that everything up to a transaction is durable.</summary>
    public void BecomeDurable(long transaction)
    {
        OracleException.Require(
            transaction >= Durable && transaction <= Last,
            $"transaction {transaction} is durable, {Durable} was, and {Last} is the last"
        );
        if (transaction > Durable)
            _mayReturn.Clear();
        Durable = transaction;
    }

    /// <summary>The environment went back to its last durable state.</summary>
    public void RollBack(long from, long to, bool mayReturn)
    {
        OracleException.Require(
            from == Last && to == Durable,
            $"rolled back from {from} to {to}, where {Last} is the last and {Durable} durable"
        );
        foreach (var (transaction, state) in _states.Where(entry => entry.Key > to).ToArray())
        {
            // What was being written is one of these; which, nobody outside knows.
            if (mayReturn)
                _mayReturn.Add((transaction, state));
            _states.Remove(transaction);
        }
        Last = to;
    }

    /// <summary>The states that the environment may show after a crash where it stands at this transaction.</summary>
    public List<object[]> Candidates(long transaction)
    {
        OracleException.Require(transaction >= Durable, $"recovery ended at transaction {transaction}, but {Durable} was durable");
        List<object[]> states = [.. _mayReturn.Where(entry => entry.Transaction == transaction).Select(entry => entry.State)];
        if (_states.TryGetValue(transaction, out var state))
            states.Insert(0, state);
        OracleException.Require(states.Count > 0, $"recovery ended at transaction {transaction}, but {Last} was the last");
        return states;
    }

    /// <summary>The environment was opened at a transaction, in this state.</summary>
    public void Recover(long transaction, object[] state)
    {
        foreach (var gone in _states.Keys.Where(id => id > transaction).ToArray())
            _states.Remove(gone);
        _mayReturn.Clear();
        _states[transaction] = state;
        Last = Durable = transaction;
    }

    /// <summary>What was before the durable state is not asked for again.</summary>
    public void Forget()
    {
        while (_states.First().Key is var first && first < Durable)
            _states.Remove(first);
    }
}

using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Expiring;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Simulation.Merging;

/// <summary>The passes over documents that are due, run as a host runs them: when they were woken, or when their time has passed.</summary>
internal sealed partial class MergerSession
{
    /// <summary>Each pass takes a document at least, and some documents become due while time passes.</summary>
    private const int MostExpiringRounds = 2000;

    private static readonly DocumentDateKind[] s_dates = [DocumentDateKind.Expires, DocumentDateKind.Refresh];

    private bool _isExpirerWoken = true;
    private long _expirerDue;
    private int _dueOperations;

    private DocumentExpirer OpenExpirer(DueDates due)
    {
        var expirer = new DocumentExpirer(_merger, due, _environment, _history.Clock, SubmitDue) { Woken = () => _isExpirerWoken = true };
        var state = _ledger.StateOf(_ledger.Last);
        foreach (var kind in s_dates)
            OracleException.Require(
                expirer.Pass(kind).Settings == state.Settings(kind),
                $"{kind} is configured as {expirer.Pass(kind).Settings} instead of {state.Settings(kind)}"
            );
        return expirer;
    }

    private Task SubmitDue(DueDocumentsOperation operation)
    {
        var due = new SimulatedDue(operation, _history.Counts)
        {
            Number = -++_dueOperations,
            RefusesItselfAt = _random.OneIn(12) ? _random.Next(8) : null,
        };
        due.IsBackground = true;
        if (!Submit(due))
            throw new MergerQueueFullException("simulated", 0, 0);
        return due.Answered;
    }

    private void RunExpirer()
    {
        if (!_isExpirerWoken && _history.Clock.GetTimestamp() < _expirerDue)
            return;
        _isExpirerWoken = false;
        _expirer.RunStep();
        var wait = _expirer.NextStep();
        _expirerDue = wait == Timeout.InfiniteTimeSpan ? long.MaxValue : _history.Clock.GetTimestamp() + wait.Ticks;
    }

    /// <summary>Time passes until nothing is due: everything that is goes away, as long as that is enabled and the disk lets it.</summary>
    private void ExpireAll()
    {
        for (var rounds = 0; !_disk.IsFull && _history.Damage == null; rounds++)
        {
            Rest();
            if (_environment.Poison != null)
                return;
            RunExpirer();
            if (_unanswered > 0)
                continue;
            var state = _ledger.StateOf(_ledger.Last);
            var now = _history.Clock.GetUtcNow().UtcTicks;
            var due = s_dates.SelectMany(kind => state.Due(kind, now)).FirstOrDefault();
            if (due.Document is null)
                return;
            OracleException.Require(rounds < MostExpiringRounds, $"document '{due.LowerId}' is due and never goes away");
            OracleException.Require(
                _isExpirerWoken || _expirerDue != long.MaxValue,
                $"document '{due.LowerId}' is due, and nobody will ever look for it"
            );
            if (!_isExpirerWoken)
                _history.Clock.Advance(TimeSpan.FromTicks(Math.Max(0, _expirerDue - _history.Clock.GetTimestamp())));
        }
    }
}

using System.Diagnostics;
using Akka.Actor;
using Akka.Persistence;

namespace Jackdaw.Bench.Actors;

/// <summary>The actor of JournalPerfSpec: persists commands one by one or fifty together, and verifies the order of events.</summary>
internal sealed class BenchActor : UntypedPersistentActor
{
    private const int BatchSize = 50;
    private readonly Finish _finish;
    private readonly int _replyAfter;
    private List<Cmd> _batch = new(BatchSize);
    private List<double> _latencies = [];
    private int _counter;

    /// <param name="persistenceId">Of the actor; in a group, what it begins with.</param>
    /// <param name="finish">Is told when the last event is there.</param>
    /// <param name="isGroup">One of the routees of a router.</param>
    /// <param name="replyAfter">The number of the last event.</param>
    public BenchActor(string persistenceId, Finish finish, bool isGroup, int replyAfter)
    {
        PersistenceId = isGroup ? $"{persistenceId}-{Context.Self.Path.Name}" : persistenceId;
        _finish = finish;
        _replyAfter = replyAfter;
    }

    public override string PersistenceId { get; }

    protected override void OnRecover(object message)
    {
        if (message is Cmd command)
            Count(command);
    }

    protected override void OnCommand(object message)
    {
        switch (message)
        {
            case Cmd { Mode: "p" } command:
                long start = Stopwatch.GetTimestamp();
                Persist(
                    command,
                    stored =>
                    {
                        _latencies.Add(Stopwatch.GetElapsedTime(start).TotalMicroseconds);
                        Count(stored);
                    }
                );
                break;
            case Cmd { Mode: "pa" } command:
                PersistAsync(command, Count);
                break;
            case Cmd command:
                _batch.Add(command);
                if (_batch.Count < BatchSize)
                    break;
                if (command.Mode == "pb")
                    PersistAll(_batch, Count);
                else
                    PersistAllAsync(_batch, Count);
                _batch = new List<Cmd>(BatchSize);
                break;
            case ResetCounter:
                _counter = 0;
                break;
        }
    }

    protected override void OnPersistFailure(Exception cause, object @event, long sequenceNr)
    {
        _finish.Fail($"event {sequenceNr} was not stored: {cause.Message}");
        base.OnPersistFailure(cause, @event, sequenceNr);
    }

    protected override void OnPersistRejected(Exception cause, object @event, long sequenceNr)
    {
        _finish.Fail($"event {sequenceNr} was rejected: {cause.Message}");
        base.OnPersistRejected(cause, @event, sequenceNr);
    }

    protected override void OnRecoveryFailure(Exception reason, object? message = null)
    {
        _finish.Fail($"recovery failed: {reason.Message}");
        base.OnRecoveryFailure(reason, message!);
    }

    private void Count(Cmd stored)
    {
        _counter++;
        if (stored.Payload != _counter)
            _finish.Fail($"event {stored.Payload} came where {_counter} was expected");
        if (_counter != _replyAfter)
            return;
        _finish.Done(_latencies);
        _latencies = [];
    }
}

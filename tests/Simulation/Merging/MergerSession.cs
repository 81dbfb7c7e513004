using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Expiring;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Writing;
using Jackdaw.Simulation.Histories;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Simulation.Merging;

/// <summary>One opening of the database: what its host's threads, its callers and its readers do, in the order that chance
/// dictates.</summary>
internal sealed partial class MergerSession : IDisposable
{
    private const int MaxReaders = 4;

    private readonly MergerHistory _history;
    private readonly StorageEnvironment _environment;
    private readonly SimulatedRandom _random;
    private readonly SimulatedDisk _disk;
    private readonly MergerLedger _ledger;
    private readonly TransactionMerger _merger;
    private readonly WeightedSteps _steps;
    private readonly List<OpenDatabaseReader> _readers = [];
    private readonly List<IThreadPoolWorkItem> _answers = [];
    private readonly SnapshotTrafficDriver _snapshots;
    private readonly DocumentExpirer _expirer;
    private bool _isWoken;
    private bool _isClosing;
    private long _consumersSaw;

    public MergerSession(MergerHistory history, StorageEnvironment environment, Guid databaseId)
    {
        _history = history;
        _environment = environment;
        _random = history.Random;
        _disk = history.Disk;
        _ledger = history.Ledger;
        _snapshots = new SnapshotTrafficDriver(_random);
        var guids = _random.Fork();
        var writer = new DocumentsWriter("A", databaseId, history.Clock, () => NextGuid(guids))
        {
            Planted = history.MergerOptions.Planted,
            RecentEtags = 0,
        };
        _merger = new TransactionMerger(
            environment,
            writer,
            history.MergerOptions with
            {
                RunAnswers = _answers.Add,
                TryRunHere = TryRunHere,
            },
            () => _isWoken = true,
            RegisterConsumers(history.Consumers)
        );
        _consumersSaw = _merger.LastDurableEtag;
        _expirer = OpenExpirer(writer.DueDates);
        Companion = history.Accompany(new AccompaniedSession(environment, _positions, () => _merger.LastDurableEtag, Submit));
        (string, Action)[] steps =
        [
            ("submit", SubmitSome),
            ("merger", () => RunMerger()),
            ("journal", () => Repeat(2, _environment.RunJournalStep)),
            ("answers", () => Repeat(4, RunAnswer)),
            ("flush", () => Repeat(6, () => _environment.RunFlushStep(force: _random.Coin()))),
            ("sync", () => Repeat(4, () => _environment.RunSyncStep(force: _random.Coin()))),
            ("spare", () => Repeat(4, _environment.RunSpareStep)),
            ("rest", Rest),
            ("open reader", OpenReader),
            ("read", Read),
            ("close reader", CloseReader),
            ("consume", Consume),
            ("download", Download),
            ("time", () => history.Clock.Advance(TimeSpan.FromMilliseconds(_random.Next(40)))),
            ("full disk", () => _disk.IsFull = _random.OneIn(3)),
            (
                "crowd",
                () =>
                {
                    for (var i = _random.Next(30); i > 0; i--)
                        SubmitSome();
                }
            ),
            ("damage", DamagePage),
            ("expire", RunExpirer),
            ("expire all", ExpireAll),
            .. Companion?.Steps ?? [],
        ];
        _steps = new WeightedSteps([.. history.StepWeights, .. history.CompanionWeights], steps);
    }

    public StorageEnvironment Environment => _environment;

    /// <summary>Works beside the callers; null: nobody does.</summary>
    public ISessionCompanion? Companion { get; }

    /// <summary>A step at a time, until the given number or until the environment refuses to go on; then nobody may be left
    /// without an answer.</summary>
    public void Run(int steps)
    {
        for (var i = 0; i < steps && _environment.Poison == null; i++)
        {
            _history.Counts.Steps++;
            var (name, step) = _steps.Draw(_random);
            _disk.Trace.AddStep(name, _ledger.Last);
            try
            {
                step();
            }
            catch (StorageException error) when (error is DiskException or CorruptedDataException && _history.IsTheDisks(error))
            {
                // A reader met it. Nothing else changes.
                _history.Counts.Refusals++;
            }
            // The merger poisons at whatever it meets, a power cut included, which in truth leaves nobody to be answered.
            if (_disk.IsOut)
                throw new PowerCutException();
        }
        if (_environment.Poison is not { } poison)
            return;
        _history.Counts.Poisonings++;
        if (!_history.IsTheDisks(poison))
            throw new OracleException("The environment was poisoned without cause.", poison);
        if (poison is CorruptedDataException)
        {
            OracleException.Require(
                _history.Damage!.MayPoison,
                $"poisoned by damage that only operations need: {_history.Damage}, {poison.Message}"
            );
            _history.Counts.DamagePoisonings++;
        }
        Rest();
        ExpectRefusedAtTheDoor(typeof(EnvironmentPoisonedException));
    }

    /// <summary>
    /// As a host closes: what was begun is ended, what waits is refused, and it does end. False when the disk does not let the
    /// environment end cleanly.
    /// </summary>
    public bool CloseInOrder()
    {
        _disk.Trace.AddStep("close", _ledger.Last);
        if (_environment.Poison == null)
            SubmitSome();
        CloseReaders();
        Companion?.CloseInOrder();
        _isClosing = true;
        _merger.Close(new DatabaseDisabledException("simulated"));
        for (var steps = 0; RunMerger() != MergerStep.Idle || _merger.JournalWriteIsInFlight; steps++)
        {
            OracleException.Require(steps < 1000, "closing never ends");
            if (_random.Coin())
                _environment.RunJournalStep();
            if (_random.Coin())
                RunAnswer();
        }
        while (_environment.RunJournalStep()) { }
        while (RunAnswer()) { }
        RequireAtRest();
        ExpectRefusedAtTheDoor(_environment.Poison == null ? typeof(DatabaseDisabledException) : null);
        if (_disk.IsOut)
            throw new PowerCutException();
        try
        {
            _environment.CloseCleanly();
            return true;
        }
        catch (StorageException error) when (_history.IsTheDisks(error))
        {
            return false;
        }
    }

    /// <summary>The process is gone, or the power: only this process's memory is given back, the disk is not touched.</summary>
    public void Dispose()
    {
        CloseReaders();
        _disk.Detach();
        Companion?.Dispose();
        _merger.Abandon();
        _environment.Dispose();
    }

    private static Guid NextGuid(SimulatedRandom random)
    {
        Span<byte> bytes = stackalloc byte[16];
        random.NextBytes(bytes);
        return new Guid(bytes);
    }

    /// <summary>A few steps of the same sort while they have work.</summary>
    private void Repeat(int most, Func<bool> step)
    {
        for (var i = _random.Next(most); i >= 0 && step(); i--) { }
    }

    /// <summary>
    /// Nothing new comes: everything that waits is answered, by steps that are run only when somebody was woken for them. A
    /// wake-up too few shows here.
    /// </summary>
    private void Rest()
    {
        // What was queued before has woken the merger once, perhaps long ago.
        var goesOn = true;
        for (var rounds = 0; ; rounds++)
        {
            OracleException.Require(rounds < 5000, "it never comes to rest");
            var didSomething = false;
            if (goesOn || _isWoken)
            {
                if (_environment.ScratchPressure >= 1)
                    GiveScratchBack();
                goesOn = RunMerger() is MergerStep.Committed or MergerStep.Ended;
                didSomething = true;
            }
            didSomething |= _environment.RunJournalStep();
            didSomething |= RunAnswer();
            if (_disk.IsOut)
                throw new PowerCutException();
            if (!didSomething)
                break;
        }
        RequireAtRest();
    }

    private void RequireAtRest()
    {
        OracleException.Require(
            _submitted.Count == 0 && _unanswered == 0,
            $"{_unanswered} operations are never answered, {_submitted.Count} never executed"
        );
        var statistics = _merger.Statistics;
        OracleException.Require(
            statistics.WaitingOperations == 0 && statistics.WaitingBytes == 0,
            $"nothing waits, and {statistics} is told"
        );
        OracleException.Require(!_merger.JournalWriteIsInFlight, "a journal write is in flight for ever");
        if (_environment.Poison != null)
            return;
        OracleException.Require(
            _environment.DurableTransactionId == _ledger.Last,
            $"transaction {_ledger.Last} was committed and never became durable"
        );
        OracleException.Require(
            _merger.LastDurableEtag == _ledger.StateOf(_ledger.Last).LastEtag,
            "the merger tells of another durable etag"
        );
        OracleException.Require(
            _consumersSaw == _merger.LastDurableEtag,
            $"consumers were woken up to etag {_consumersSaw}, and {_merger.LastDurableEtag} is durable"
        );
        foreach (var consumer in _consumers)
            consumer.RequireWoken(_ledger.StateOf(_ledger.Last));
    }

    /// <summary>With its limit reached the merger waits for flush and for readers, which must be enough.</summary>
    private void GiveScratchBack()
    {
        if (_merger.HasOpenTransaction)
            return;
        CloseReaders();
        while (_environment.RunJournalStep()) { }
        while (_environment.RunFlushStep(force: true)) { }
        OracleException.Require(
            _environment.ScratchPressure < 1 || _environment.Poison != null,
            $"nobody uses scratch any more, and its pressure is {_environment.ScratchPressure}"
        );
    }

    /// <summary>Not while differences to the page as it was are still to be made: they would be differences to the damage.</summary>
    private void DamagePage()
    {
        if (!_history.DamagesPages || _history.Damage != null || _merger.HasOpenTransaction || _merger.JournalWriteIsInFlight)
            return;
        _history.Damage = PageDamage.Inflict(_disk, _environment, _random);
        _disk.Trace.Output?.WriteLine($"       damage: {_history.Damage}");
    }

    /// <summary>A damaged page may be met at once.</summary>
    private DocumentsReader OpenDocuments(string purpose, out ReadTransaction transaction)
    {
        transaction = _environment.BeginRead(purpose);
        try
        {
            return new DocumentsReader(transaction, null, present: EventsOf);
        }
        catch
        {
            transaction.Dispose();
            throw;
        }
    }

    private void OpenReader()
    {
        if (_readers.Count >= MaxReaders)
            CloseReader();
        var reader = OpenDocuments("simulated", out var transaction);
        _readers.Add(new OpenDatabaseReader(reader, transaction.Id, _ledger.StateOf(transaction.Id)));
        OracleException.Require(
            transaction.Id == _environment.DurableTransactionId && transaction.Id >= _ledger.Promised,
            $"a new reader sees transaction {transaction.Id}; {_ledger.Promised} is promised"
        );
        _ledger.Promise(transaction.Id);
    }

    private void Read()
    {
        if (_readers.Count == 0)
            return;
        var (reader, _, state) = _readers[_random.Next(_readers.Count)];
        StateCheck.Glance(reader, state, _random);
    }

    /// <summary>Of snapshots: the last one that a reader sees.</summary>
    private long DurableNumber => _ledger.StateOf(_environment.DurableTransactionId).Snapshots.LastNumber;

    private void Download() =>
        _snapshots.Download(
            DurableNumber,
            read =>
            {
                using var reader = OpenDocuments("simulated download", out var transaction);
                _ledger.Promise(transaction.Id);
                read(reader, _ledger.StateOf(transaction.Id));
            }
        );

    private void CloseReader()
    {
        if (_readers.Count == 0)
            return;
        var i = _random.Next(_readers.Count);
        var (reader, _, state) = _readers[i];
        if (_random.Coin())
            StateCheck.Run(reader, state);
        _history.Counts.ReadersVerified++;
        _readers.RemoveAt(i);
        reader.Dispose();
        _ledger.Forget(_readers.Select(r => r.Transaction).DefaultIfEmpty(long.MaxValue).Min());
    }

    private void CloseReaders()
    {
        foreach (var (reader, _, _) in _readers)
            reader.Dispose();
        _readers.Clear();
    }
}

using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Orders;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Transforming;
using Jackdaw.Scripting;
using Jackdaw.Scripting.Errors;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Etl.Running;

/// <summary>
/// A running task. It has no thread: whoever has it calls <see cref="RunStep"/> again and again, from one thread; everything else
/// may be called from any.
/// </summary>
internal sealed partial class EtlTask : IAsyncDisposable
{
    private readonly EtlTaskConfiguration _configuration;
    private readonly Database _database;
    private readonly ScriptEngine _engine;
    private readonly ISink _sink;
    private readonly IPositionKeeper? _keeper;
    private readonly EtlOptions _options;
    private readonly TransformRun[] _transforms;
    private readonly HeldTombstones _held;
    private readonly PositionStore _positions;
    private readonly DeadLetterStore _deadLetters;
    private readonly BatchReader _reader;
    private readonly FailureWindow _scripts;
    private readonly FailureWindow _deliveries;
    private readonly Pauses _pauses;
    private readonly CancellationTokenSource _giveUp = new();
    private readonly CancellationTokenSource _giveUpOpening = new();
    private Grace? _grace;
    private readonly bool[] _isPlaced;
    private volatile Batch? _batch;
    private volatile bool _isClosing;
    private volatile bool _isBeingLetIn;
    private bool _isOpen;
    private bool _areCompiled;
    private int _turn;

    /// <param name="configuration">The task.</param>
    /// <param name="database">Where it reads.</param>
    /// <param name="engine">Runs its scripts, which are compiled in the first step.</param>
    /// <param name="sink">The task's own from now on.</param>
    /// <param name="options">What tasks have in common.</param>
    public EtlTask(EtlTaskConfiguration configuration, Database database, ScriptEngine engine, ISink sink, EtlOptions options)
    {
        _configuration = configuration;
        _database = database;
        _engine = engine;
        _sink = sink;
        _keeper = sink as IPositionKeeper;
        _options = options;
        _transforms = configuration
            .Transforms.Where(transform => !transform.Disabled)
            .Select(
                (transform, i) => new TransformRun(i, transform, new EventNaming(configuration, transform, database, options.PublicUrl))
            )
            .ToArray();
        _isPlaced = new bool[_transforms.Length];
        _positions = new PositionStore(database, configuration.Id);
        _orders = new OrderStore(database, configuration.Id);
        _deadLetters = new DeadLetterStore(database, configuration, options.Clock);
        _scripts = new FailureWindow(configuration.FailureWindow, configuration.MaxFailedShare);
        _deliveries = new FailureWindow(configuration.FailureWindow, configuration.MaxFailedShare);
        _ownDeletions = new OwnDeletions(database, configuration, options.Clock);
        _sent = new SentDocumentsStore(database, configuration.Id);
        _rateLimit = configuration.RateLimit;
        _rate = new RateLimits(options.Clock, _rateLimit);
        _reader = new BatchReader(database, configuration, _transforms, options, _scripts, _rate, _ownDeletions, sink.AllowsRoutingKeys);
        _retryReader = new RetryReader(database, _transforms, options, _rate, sink.AllowsRoutingKeys);
        _pauses = new Pauses(options.Limits, options.Random);
        _since = options.Clock.GetUtcNow();
        _calmSince = options.Clock.GetTimestamp();
        _state = FirstState();
        _held = new HeldTombstones(database, configuration);
        // What was ordered before it was there comes first.
        _commands.Enqueue(CarryOutOrders);
    }

    /// <summary>Nothing is waited for any more between two steps.</summary>
    public bool IsClosing => _isClosing;

    /// <summary>Called when there may be something to do.</summary>
    public Action? Woken { get; set; }

    /// <summary>Does what is to be done next, waiting for the sink and for durability but never for time.</summary>
    /// <returns>How long there is nothing to do unless woken: zero, a time, or <see cref="Timeout.InfiniteTimeSpan"/>.</returns>
    /// <exception cref="Exception">Something unexpected: the loop must end (<see cref="Fault"/>).</exception>
    public TimeSpan RunStep()
    {
        try
        {
            // What is ordered of one that is being closed is done when it is started anew.
            if (!_isClosing)
                Obey();
            return Step();
        }
        catch (SinkException e) when (e.Fault == SinkFault.Sink)
        {
            return WaitOut(e.Message, e.RetryAfter);
        }
        catch (SinkException e) when (e.Fault == SinkFault.Fenced)
        {
            return Halt(EtlTaskState.Fenced, e.Message);
        }
        catch (Exception e) when (IsOfTheMoment(e))
        {
            return WaitOut(e.Message, null);
        }
        catch (Exception e)
            when (e
                    is SinkException
                        or ForeignPositionException
                        or TooManyTargetsException
                        or ScriptException
                        or OperationException
                        or StorageException
            )
        {
            return Halt(
                EtlTaskState.Stopped,
                e.Message,
                needsPosition: e is ForeignPositionException or SinkException { NeedsPosition: true }
            );
        }
        catch (DatabaseUnavailableException e)
        {
            return Halt(EtlTaskState.Closed, e.Message);
        }
        catch (OperationCanceledException) when (_isClosing)
        {
            // The next step is the last.
            return TimeSpan.Zero;
        }
    }

    /// <summary>
    /// Begins nothing more; the loop ends soon. What has been sent may still be answered for <see cref="EtlLimits.CloseGrace"/>,
    /// so that it does not come again
    /// after the next start; a sink that is only being opened has nothing to wait for.
    /// </summary>
    public void BeginClose()
    {
        _isClosing = true;
        // On a thread of the pool: what a sink does about it is not the caller's concern.
        _giveUpOpening.CancelAfter(TimeSpan.Zero);
        // In this order: the loop moves the second into the place of the first.
        _next?.Delivery.Stop();
        _batch?.Delivery.Stop();
        _grace ??= new Grace(_options.Limits.CloseGrace, _options.Clock, _giveUp);
        Woken?.Invoke();
    }

    /// <summary>After the loop has ended.</summary>
    public async ValueTask DisposeAsync()
    {
        EndRetries("The task was ended or changed meanwhile.");
        _held.Dispose();
        _reader.Dispose();
        await _sink.DisposeAsync().ConfigureAwait(false);
        if (_grace is not null)
            await _grace.DisposeAsync().ConfigureAwait(false);
        _giveUp.Dispose();
        _giveUpOpening.Dispose();
    }

    /// <summary>In what the database notes of consumers.</summary>
    internal static string ConsumerName(long taskId, string transform) =>
        string.Create(System.Globalization.CultureInfo.InvariantCulture, $"etl/{taskId}/{transform}");

    /// <summary>Waited out, for it passes by itself.</summary>
    private static bool IsOfTheMoment(Exception error) =>
        error is MergerQueueFullException or OutOfDiskException or DiskFullException or ScriptEngineBusyException;

    private TimeSpan Step()
    {
        if (_isClosing)
        {
            KeepHints();
            KeepOwnRetry();
            return Halt(EtlTaskState.Closed, null);
        }
        if (WhyAtRest() is { } reason)
        {
            GiveUpRetries(reason);
            KeepOwnRetry();
            return Timeout.InfiniteTimeSpan;
        }
        if (_state == EtlTaskState.Waiting)
        {
            var left = _pause - _options.Clock.GetElapsedTime(_pausedSince);
            if (left > TimeSpan.Zero)
                return left;
        }
        if (_state == EtlTaskState.Waiting)
            ObserveWaiting();
        if (!_areCompiled)
            Compile();
        if (_keeper is null)
            PlaceTransforms();
        // A sink that rests is opened when there is something for it.
        if (!_isOpen && !IsResting)
            Open();
        FinishSettled();
        if (_batch is null && HoldBack() is { Ticks: > 0 } held)
            return held;
        _batch ??= NextBatch();
        if (_batch is null)
            return Rest();
        if (!_isOpen)
        {
            Open();
            // What the sink tells when it is opened may have put the batch aside.
            return TimeSpan.Zero;
        }
        if (_state == EtlTaskState.Idle)
            Enter(EtlTaskState.Running, null);
        Deliver();
        return TimeSpan.Zero;
    }

    /// <summary>In the loop, for it may have to be tried again: all script machines may be busy when a database with many tasks
    /// is opened.</summary>
    private void Compile()
    {
        foreach (var transform in _transforms)
            transform.Script = TransformScript.Compile(_engine, transform.Configuration);
        _areCompiled = true;
    }

    private void Open()
    {
        if (_keeper is { } keeper)
        {
            _isBeingLetIn = true;
            PlaceTransforms(Wait(keeper.OpenAndReadAsync(_takesOver, _giveUpOpening.Token)));
            if (_takesOver)
                _orders.TookOver();
            _takesOver = false;
            _isBeingLetIn = false;
        }
        else
        {
            Wait(_sink.OpenAsync(_giveUpOpening.Token));
        }
        _isOpen = true;
        _isAsleep = false;
        _usedAt = _options.Clock.GetTimestamp();
    }

    /// <summary>The loop's own thread, which has nothing else to do.</summary>
    private static void Wait(Task task) => task.GetAwaiter().GetResult();

    private static T Wait<T>(Task<T> task) => task.GetAwaiter().GetResult();
}

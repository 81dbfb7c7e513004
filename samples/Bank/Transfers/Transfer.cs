using Akka.Actor;
using Akka.Persistence;
using Bank.Accounts;
using Bank.Entities;

namespace Bank.Transfers;

/// <summary>
/// A transfer as a saga: it takes the money from one account, then gives it to the other. Each step is stored before the next one begins, and
/// is repeated until the account has answered. After a crash the saga goes on where it was.
/// </summary>
public sealed class Transfer : ReceivePersistentActor, IWithTimers
{
    private static readonly TimeSpan RepeatAfter = TimeSpan.FromSeconds(2);

    private readonly IActorRef _accounts;
    private TransferStarted? _started;
    private TransferEnded? _ended;
    private bool _isDebited;
    private IActorRef _asker = ActorRefs.Nobody;

    /// <summary>Makes the actor of the transfer with this id, for example <c>transfer-7</c>.</summary>
    public Transfer(string id, IActorRef accounts)
    {
        PersistenceId = id;
        _accounts = accounts;
        Recover<TransferStarted>(started => _started = started);
        Recover<TransferDebited>(_ => _isDebited = true);
        Recover<TransferEnded>(ended => _ended = ended);
        Command<Begin>(OnBegin);
        Command<Done>(OnDone);
        Command<Refused>(_ => End(isRefused: true));
        Command<Repeat>(_ => Continue());
        Command<Finished>(_ => Context.Stop(Self));
    }

    /// <inheritdoc />
    public override string PersistenceId { get; }

    /// <inheritdoc />
    public ITimerScheduler Timers { get; set; } = null!;

    /// <inheritdoc />
    protected override void OnReplaySuccess()
    {
        base.OnReplaySuccess();
        Timers.StartPeriodicTimer("repeat", new Repeat(), RepeatAfter);
        Continue();
    }

    private void OnBegin(Begin begin)
    {
        _asker = Sender;
        if (_started is not null)
            Continue();
        else
            Persist(
                new TransferStarted(begin.From, begin.To, begin.Amount),
                started =>
                {
                    _started = started;
                    Continue();
                }
            );
    }

    private void OnDone(Done done)
    {
        if (_ended is not null || done.IsDebit == _isDebited)
            return;
        if (done.IsDebit)
            Persist(
                new TransferDebited(),
                _ =>
                {
                    _isDebited = true;
                    Continue();
                }
            );
        else
            End(isRefused: false);
    }

    private void End(bool isRefused)
    {
        if (_ended is null && !(isRefused && _isDebited))
            Persist(
                new TransferEnded(isRefused),
                ended =>
                {
                    _ended = ended;
                    Continue();
                }
            );
    }

    /// <summary>Does the next step, or does it again.</summary>
    private void Continue()
    {
        if (_ended is not null)
        {
            _asker.Tell(_ended);
            Timers.CancelAll();
            Context.Parent.Tell(new Finished());
        }
        else if (_started is not null)
            _accounts.Tell(
                _isDebited
                    ? new ToEntity(_started.To, new Credit(PersistenceId, _started.Amount))
                    : new ToEntity(_started.From, new Debit(PersistenceId, _started.Amount))
            );
    }

    private sealed record Repeat;
}

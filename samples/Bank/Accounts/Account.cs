using Akka.Actor;
using Akka.Persistence;

namespace Bank.Accounts;

/// <summary>An account. It remembers the transfers that it took part in, so a step that is repeated changes nothing.</summary>
public sealed class Account : ReceivePersistentActor
{
    private readonly HashSet<string> _debited = [];
    private readonly HashSet<string> _credited = [];
    private bool _isOpen;
    private long _balance;

    /// <summary>Makes the actor of the account with this id, for example <c>account-7</c>.</summary>
    public Account(string id)
    {
        PersistenceId = id;
        Recover<Opened>(Apply);
        Recover<Debited>(Apply);
        Recover<Credited>(Apply);
        Command<Open>(OnOpen);
        Command<Debit>(OnDebit);
        Command<Credit>(OnCredit);
        Command<GetBalance>(_ => TellBalance());
    }

    /// <inheritdoc />
    public override string PersistenceId { get; }

    private void OnOpen(Open open)
    {
        if (_isOpen)
            TellBalance();
        else
            Persist(
                new Opened(open.Amount),
                opened =>
                {
                    Apply(opened);
                    TellBalance();
                }
            );
    }

    private void OnDebit(Debit debit)
    {
        if (_debited.Contains(debit.Transfer))
            Sender.Tell(new Done(debit.Transfer, IsDebit: true));
        else if (_balance < debit.Amount)
            Sender.Tell(new Refused(debit.Transfer));
        else
            Persist(
                new Debited(debit.Transfer, debit.Amount),
                debited =>
                {
                    Apply(debited);
                    Sender.Tell(new Done(debited.Transfer, IsDebit: true));
                }
            );
    }

    private void OnCredit(Credit credit)
    {
        if (_credited.Contains(credit.Transfer))
            Sender.Tell(new Done(credit.Transfer, IsDebit: false));
        else
            Persist(
                new Credited(credit.Transfer, credit.Amount),
                credited =>
                {
                    Apply(credited);
                    Sender.Tell(new Done(credited.Transfer, IsDebit: false));
                }
            );
    }

    private void TellBalance() => Sender.Tell(new Balance(PersistenceId, _balance));

    private void Apply(Opened opened)
    {
        _isOpen = true;
        _balance = opened.Amount;
    }

    private void Apply(Debited debited)
    {
        _debited.Add(debited.Transfer);
        _balance -= debited.Amount;
    }

    private void Apply(Credited credited)
    {
        _credited.Add(credited.Transfer);
        _balance += credited.Amount;
    }
}

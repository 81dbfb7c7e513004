using System.Globalization;
using Akka.Persistence.Query;
using Bank.Accounts;
using Bank.Transfers;

namespace Bank.Commands;

/// <summary>What the events of all accounts and transfers add up to.</summary>
internal sealed class Books
{
    private readonly Dictionary<string, long> _balances = [];
    private readonly Dictionary<string, long> _debited = [];
    private readonly Dictionary<string, long> _credited = [];
    private readonly List<string> _errors = [];
    private long _paidIn;
    private int _started;
    private int _ended;
    private int _refused;

    /// <summary>Cents by account.</summary>
    public IReadOnlyDictionary<string, long> Balances => _balances;

    public void Enter(EventEnvelope envelope)
    {
        switch (envelope.Event)
        {
            case Opened opened:
                _paidIn += opened.Amount;
                _balances.Add(envelope.PersistenceId, opened.Amount);
                break;
            case Debited debited:
                _balances[envelope.PersistenceId] -= debited.Amount;
                if (!_debited.TryAdd(debited.Transfer, debited.Amount))
                    _errors.Add($"{debited.Transfer} was debited twice.");
                break;
            case Credited credited:
                _balances[envelope.PersistenceId] += credited.Amount;
                if (!_credited.TryAdd(credited.Transfer, credited.Amount))
                    _errors.Add($"{credited.Transfer} was credited twice.");
                break;
            case TransferStarted:
                _started++;
                break;
            case TransferEnded ended:
                _ended++;
                _refused += ended.IsRefused ? 1 : 0;
                break;
        }
    }

    /// <summary>Prints the sums; tells whether every cent is accounted for.</summary>
    public bool Print()
    {
        foreach (var (transfer, amount) in _credited)
            if (_debited.GetValueOrDefault(transfer) != amount)
                _errors.Add(
                    $"{transfer} was credited with {Format(amount)} and debited with {Format(_debited.GetValueOrDefault(transfer))}."
                );
        var onTheWay = _debited.Where(debit => !_credited.ContainsKey(debit.Key)).ToArray();
        var inAccounts = _balances.Values.Sum();
        var moving = onTheWay.Sum(debit => debit.Value);
        Console.WriteLine(
            $"{_started:N0} transfers began, {_ended:N0} have ended ({_refused:N0} refused), {_started - _ended:N0} are under way."
        );
        Console.WriteLine(
            $"{_balances.Count} accounts hold {Format(inAccounts)}, {Format(moving)} are on their way in {onTheWay.Length} transfers."
        );
        Console.WriteLine($"Together {Format(inAccounts + moving)}; {Format(_paidIn)} were paid in.");
        foreach (var error in _errors.Take(10))
            Console.WriteLine(error);
        var isBalanced = inAccounts + moving == _paidIn && _errors.Count == 0;
        Console.WriteLine(isBalanced ? "No money was lost." : "THE BOOKS DO NOT BALANCE.");
        return isBalanced;
    }

    private static string Format(long cents) => (cents / 100m).ToString("N2", CultureInfo.InvariantCulture);
}

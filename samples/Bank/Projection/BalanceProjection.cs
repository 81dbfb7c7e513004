using System.Text.Json.Nodes;

namespace Bank.Projection;

/// <summary>
/// Keeps the balance of each account as a document. An event that it has seen before changes nothing, for the offset is stored with the
/// balance; an event of another database is refused.
/// </summary>
internal sealed class BalanceProjection(BankDatabase database) : IDisposable
{
    private readonly SemaphoreSlim _turn = new(1);
    private Dictionary<string, long> _balances = [];
    private ProjectionState? _state;

    public void Dispose() => _turn.Dispose();

    /// <summary>Reads what the projection held when it ended.</summary>
    public async Task LoadAsync()
    {
        _state = await database.StateAsync();
        _balances = new(await database.BalancesAsync());
        Console.WriteLine(_state is null ? "The projection begins." : $"The projection goes on after event {_state.Offset}.");
    }

    /// <summary>Takes one CloudEvent of the task; returns the status to answer with.</summary>
    public async Task<int> ReceiveAsync(JsonObject cloudEvent)
    {
        var offset = long.Parse((string)cloudEvent["etag"]!);
        // A copy of the database counts on from the same positions: the id tells its events from those of the original.
        var databaseId = (string)cloudEvent["databaseid"]!;
        await _turn.WaitAsync();
        try
        {
            if (_state is not null && _state.DatabaseId != databaseId)
            {
                Console.WriteLine($"Refused: event {offset} is of database {databaseId}, the projection of {_state.DatabaseId}.");
                return StatusCodes.Status503ServiceUnavailable;
            }
            if (offset > (_state?.Offset ?? 0))
                await ApplyAsync((JsonObject)cloudEvent["data"]!, new ProjectionState(databaseId, offset));
            return StatusCodes.Status200OK;
        }
        finally
        {
            _turn.Release();
        }
    }

    private async Task ApplyAsync(JsonObject data, ProjectionState state)
    {
        var account = (string)data["account"]!;
        var change = (JsonObject)data["change"]!;
        var amount = (long)change["Amount"]!;
        var type = (string)change["$type"]!;
        var balance =
            type.StartsWith("Bank.Accounts.Opened,", StringComparison.Ordinal) ? amount
            : type.StartsWith("Bank.Accounts.Debited,", StringComparison.Ordinal) ? _balances[account] - amount
            : _balances[account] + amount;
        await database.StoreAsync(account, balance, state);
        _balances[account] = balance;
        _state = state;
    }
}

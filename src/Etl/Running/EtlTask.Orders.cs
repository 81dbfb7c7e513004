using System.Collections.Concurrent;
using Jackdaw.Etl.Orders;

namespace Jackdaw.Etl.Running;

/// <summary>What people order. Whoever passes an order on has stored it before: docs/etl.md, "Orders".</summary>
internal sealed partial class EtlTask
{
    private readonly ConcurrentQueue<Action> _commands = new();
    private readonly OrderStore _orders;

    /// <summary>A person wants this server to have the task, whoever has it, and the sink does not know yet. Durable in
    /// <see cref="_orders"/>, here to be at hand.</summary>
    private bool _takesOver;

    /// <summary>Reads nothing more until <see cref="Resume"/>; what is being delivered is delivered first.</summary>
    public void Pause() =>
        Command(() =>
        {
            if (_state is EtlTaskState.Running or EtlTaskState.Idle or EtlTaskState.Waiting)
                Enter(EtlTaskState.Paused, null);
        });

    /// <summary>
    /// Takes the positions that were set meanwhile, and goes on after a pause, or tries again after a fault; one that is fenced
    /// takes the task over.
    /// </summary>
    public void Resume() =>
        Command(() =>
        {
            CarryOutOrders();
            Restart();
        });

    private void Command(Action action)
    {
        _commands.Enqueue(action);
        Woken?.Invoke();
    }

    /// <summary>What people have said since. What the database cannot take just now is not forgotten: it is done again before the
    /// next step.</summary>
    private void Obey()
    {
        while (_commands.TryPeek(out var command))
        {
            try
            {
                command();
            }
            catch (Exception e) when (!IsOfTheMoment(e))
            {
                _commands.TryDequeue(out _);
                throw;
            }
            _commands.TryDequeue(out _);
        }
    }

    /// <summary>Outside of the promises: everything after the positions that people have set is sent again, or what lies before
    /// them is skipped.</summary>
    private void CarryOutOrders()
    {
        IReadOnlyList<(string Key, PositionOrder Order)> positions;
        using (var reader = _database.OpenRead("ETL orders"))
        {
            positions = _orders.Positions(reader);
            _takesOver = _orders.TakesOver(reader);
        }
        if (_takesOver && _isOpen)
        {
            // It was ordered while the sink was about to let this server in, which it has.
            _orders.TookOver();
            _takesOver = false;
        }
        if (positions.Count > 0 && _keeper is null)
        {
            // What is confirmed is dealt with: whether the position that comes now lies before it or behind it.
            FinishSettled();
            KeepSettled();
        }
        foreach (var (key, order) in positions)
        {
            Reached(Failpoint.Position);
            // A sink that keeps the positions itself is told when it is opened, and until then the database remembers that it is
            // to be told.
            _orders.CarryOut(
                key,
                order,
                _configuration.Transforms.Where(order.Means).Select(transform => transform.Name),
                isOrdered: _keeper is not null
            );
            Reached(Failpoint.PositionStored);
            foreach (var run in _transforms.Where(run => order.Means(run.Configuration)))
            {
                Forget(run);
                _isPlaced[run.Index] = false;
                _isOpen &= _keeper is null;
                ShowStored(run);
            }
        }
    }

    /// <summary>Until it is placed, a transform is where the database says.</summary>
    private void ShowStored(TransformRun run)
    {
        using var reader = _database.OpenRead("ETL start");
        if (_positions.Read(reader, run.Configuration.Name) is { } position && position.DatabaseId == _database.Id)
            run.PlaceAt(Math.Min(position.Etag, reader.LastEtag));
    }
}

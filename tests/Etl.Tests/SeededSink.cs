using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Tests;

/// <summary>Deliveries that go wrong as a seed dictates, over a receiver that keeps what it got.</summary>
internal sealed class SeededSink(Random random, List<Received> ledger)
{
    private TaskCompletionSource? _held;

    /// <summary>Chance of trouble at each message; 0: none.</summary>
    public double Trouble { get; set; }

    /// <summary>All are on the way at once, and confirmations come in any order; otherwise one of a key at a time.</summary>
    public required bool IsPipelined { get; init; }

    /// <summary>Faults and crashes so far.</summary>
    public int Faults { get; private set; }

    public static bool IsBad(Received received) => received.Text.Contains("\"bad\":true", StringComparison.Ordinal);

    /// <summary>Deliveries are on their way until <see cref="Release"/>.</summary>
    public bool IsSlow { get; init; }

    public RecordingSink Open() => new(ledger, Deliver) { Afterwards = IsSlow ? Hold : null };

    public void Release() => _held?.TrySetResult();

    private Task Hold()
    {
        _held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        return _held.Task;
    }

    private bool Happens => Trouble > 0 && random.NextDouble() < Trouble;

    private void Deliver(RecordingSink sink, Delivery delivery)
    {
        var open = Enumerable.Range(0, delivery.Messages.Count).Where(i => !delivery.IsSettled(i)).ToList();
        if (IsPipelined)
            DeliverPipelined(sink, delivery, open);
        else
            DeliverKeyed(sink, delivery, open);
    }

    /// <summary>Any order, but of each key the first one that is left.</summary>
    private void DeliverKeyed(RecordingSink sink, Delivery delivery, List<int> open)
    {
        while (open.Count > 0)
        {
            string key = delivery.Messages[open[random.Next(open.Count)]].Key;
            int next = open.First(i => delivery.Messages[i].Key == key);
            if (Happens)
                Fail("before sending");
            if (!RejectBad(delivery, next))
            {
                sink.Receive(delivery, next);
                if (Happens)
                    Fail("before the answer");
                delivery.Confirm(next);
            }
            open.Remove(next);
        }
        if (Happens)
            Fail("after everything");
    }

    /// <summary>In order up to a cut; then some confirmations; then, if it was cut, the fault.</summary>
    private void DeliverPipelined(RecordingSink sink, Delivery delivery, List<int> open)
    {
        int cut = Happens ? random.Next(open.Count + 1) : open.Count;
        var sent = open.Take(cut).ToArray();
        var good = sent.Where(i => !RejectBad(delivery, i)).ToArray();
        foreach (int i in good)
            sink.Receive(delivery, i);
        bool isWhole = cut == open.Count && !Happens;
        foreach (int i in good)
        {
            if (isWhole || random.Next(3) > 0)
                delivery.Confirm(i);
        }
        if (!isWhole)
            Fail("in the middle");
    }

    private static bool RejectBad(Delivery delivery, int index)
    {
        bool isBad = IsBad(new Received(delivery.Messages[index], 0));
        if (isBad)
            delivery.Reject(index, "Bad.");
        return isBad;
    }

    private void Fail(string where)
    {
        Faults++;
        if (random.Next(4) == 0)
            throw new SimulatedCrashException(where);
        throw new SinkException(SinkFault.Sink, $"A fault {where}.");
    }
}

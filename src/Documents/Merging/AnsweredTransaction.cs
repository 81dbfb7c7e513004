namespace Jackdaw.Documents.Merging;

/// <summary>Counts the answer batches of a transaction: after the last one, consumers are woken.</summary>
internal sealed class AnsweredTransaction
{
    private readonly Action? _afterwards;
    private int _batches;

    public AnsweredTransaction(int batches, Action? afterwards)
    {
        _batches = batches;
        _afterwards = afterwards;
    }

    public void BatchAnswered()
    {
        if (Interlocked.Decrement(ref _batches) == 0)
            _afterwards?.Invoke();
    }
}

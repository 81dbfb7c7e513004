namespace Jackdaw.Storage.Transactions;

/// <summary>Someone who waits until a transaction, and all before it, is durable. Its task goes on on the thread pool.</summary>
internal sealed class DurabilityWaiter(long transactionId)
{
    private readonly TaskCompletionSource _source = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public long TransactionId { get; } = transactionId;

    public Task Task => _source.Task;

    public void Complete() => _source.SetResult();

    public void Fail(Exception error) => _source.SetException(error);
}

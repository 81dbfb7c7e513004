using Jackdaw.Documents.Commands;

namespace Jackdaw.Documents.Merging;

/// <summary>
/// Some operations of one ended transaction, answered one after another by one work item of the thread pool: a hop for many
/// callers, and several items so that
/// more than one core can serve them.
/// </summary>
internal sealed class AnswerBatch : IThreadPoolWorkItem
{
    /// <summary>Callers that one work item serves.</summary>
    public const int MaxOperations = 16;

    private readonly MergedOperation? _first;
    private readonly int _count;
    private readonly Func<Exception>? _failure;
    private readonly AnsweredTransaction _transaction;

    /// <param name="first">The first of the operations, linked to the others; null: there are none, and only what comes after them
    /// is done.</param>
    /// <param name="count">How many they are.</param>
    /// <param name="failure">Makes the error that an operation is answered with, one for each caller: each throws its own, on a
    /// thread of its
    /// own. Null: each is answered with its own outcome.</param>
    /// <param name="transaction">Is told when they have been answered.</param>
    public AnswerBatch(MergedOperation? first, int count, Func<Exception>? failure, AnsweredTransaction transaction)
    {
        _first = first;
        _count = count;
        _failure = failure;
        _transaction = transaction;
    }

    public void Execute()
    {
        var operation = _first;
        for (int i = 0; i < _count; i++)
        {
            // Answered, it belongs to its caller again, links and all.
            var next = operation!.Next;
            operation.Answer(_failure?.Invoke());
            operation = next!;
        }
        _transaction.BatchAnswered();
    }
}

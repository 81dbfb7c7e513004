namespace Jackdaw.Storage.Transactions;

/// <summary>
/// Is told how a commit ended, exactly once, on the thread that runs the journal step: it must hand work on, not do it.
/// </summary>
public interface ICommitObserver
{
    /// <summary>The transaction, and all it was built on, is durable; readers that begin from now on see it.</summary>
    void Durable(PendingCommit commit);

    /// <summary>The outcome is unknown (<see cref="Errors.CommitOutcomeUnknownException"/>); the environment is poisoned.</summary>
    void Failed(PendingCommit commit, Errors.CommitOutcomeUnknownException error);
}

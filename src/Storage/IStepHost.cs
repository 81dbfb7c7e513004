namespace Jackdaw.Storage;

/// <summary>Who runs an environment's steps. Both calls come under load and from any thread: they set a flag and wake a thread,
/// no more.</summary>
public interface IStepHost
{
    /// <summary><see cref="StorageEnvironment.RunJournalStep()"/> has work.</summary>
    void JournalHasWork();

    /// <summary><see cref="StorageEnvironment.RunFlushStep"/>, <see cref="StorageEnvironment.RunSyncStep"/> or
    /// <see cref="StorageEnvironment.RunSpareStep"/> has work.</summary>
    void FlushHasWork();
}

namespace Jackdaw.Etl.Kafka;

/// <summary>Where the native client's blocking calls are made that a task does not wait for at once. Not the thread pool: a
/// broker that never answers would take its threads from everybody.</summary>
internal static class KafkaThread
{
    /// <summary>Runs to its end on a thread of its own; the caller awaits it.</summary>
    public static Task RunAsync(Action action) =>
        Task.Factory.StartNew(
            action,
            CancellationToken.None,
            TaskCreationOptions.LongRunning | TaskCreationOptions.DenyChildAttach,
            TaskScheduler.Default
        );
}

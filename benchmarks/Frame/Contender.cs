namespace Jackdaw.Bench.Frame;

/// <summary>
/// One of the parties that a benchmark compares: this project, a peer, or the same in another mode. Prepared once, then run
/// in turns with the others, then disposed.
/// </summary>
internal abstract class Contender(string name)
{
    /// <summary>The row's title. Names of this project's rows begin with "jackdaw".</summary>
    public string Name { get; } = name;

    /// <summary>Starts servers, loads what must be there before. Not measured.</summary>
    /// <exception cref="ContenderUnavailableException">It cannot run here.</exception>
    public virtual Task PrepareAsync(RunContext context, CancellationToken cancel) => Task.CompletedTask;

    /// <summary>One measured run.</summary>
    public abstract Task<Sample> RunAsync(RunContext context, CancellationToken cancel);

    /// <summary>Brings background work of the run before to its end, so that the next contender does not pay for it. Not
    /// measured.</summary>
    public virtual Task SettleAsync(CancellationToken cancel) => Task.CompletedTask;

    /// <summary>Stops and closes what <see cref="PrepareAsync"/> and the runs opened, however far they came.</summary>
    public virtual Task CloseAsync() => Task.CompletedTask;
}

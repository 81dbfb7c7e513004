namespace Jackdaw.Etl.Sinks;

/// <summary>A sink that can tell whether its connection string is right, before anything depends on it.</summary>
internal interface IConnectionTest : IAsyncDisposable
{
    /// <summary>
    /// Reaches the receiver with the credentials that there are, and neither declares, nor sends, nor takes anything over from a
    /// task that runs. Errors as
    /// <see cref="ISink.OpenAsync"/>.
    /// </summary>
    /// <returns>What was found, in words.</returns>
    Task<string> TestAsync(CancellationToken cancellation);
}

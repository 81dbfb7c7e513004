using Jackdaw.Functions.Handlers.Histories;

namespace Jackdaw.Functions.Handlers.Storing;

/// <summary>The history of the database that messages come from, read again when it is old or does not know a message's database.
/// Thread-safe.</summary>
/// <param name="database">The database.</param>
/// <param name="clock">What time it is.</param>
public sealed class SourceHistory(JackdawDatabase database, TimeProvider clock)
{
    /// <summary>How long an answer is used. A database's history changes while its server is stopped, which is rare.</summary>
    private static readonly TimeSpan s_maxAge = TimeSpan.FromSeconds(30);

    private Reading? _last;

    private sealed record Reading(History History, long At);

    /// <summary>Returns the history, which knows the given database unless no ancestor has that id. Throws
    /// <see cref="InfrastructureException"/>.</summary>
    public async Task<History> ReadAsync(string databaseId, CancellationToken cancel)
    {
        var last = Volatile.Read(ref _last);
        if (last is not null && clock.GetElapsedTime(last.At) < s_maxAge && last.History.Knows(databaseId))
            return last.History;
        var history = await database.HistoryAsync(cancel);
        Volatile.Write(ref _last, new Reading(history, clock.GetTimestamp()));
        return history;
    }

    /// <summary>The database was another one than the history said: read it again next time.</summary>
    public void Forget() => Volatile.Write(ref _last, null);
}

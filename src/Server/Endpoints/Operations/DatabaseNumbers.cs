using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Jackdaw.Server.Endpoints.Operations;

/// <summary>Numbers that are counted for each database by itself, from 1: numbers that all databases shared would tell a client of one of
/// what goes on in the others. A few bytes are kept for each database that has had a number. Thread-safe.</summary>
internal sealed class DatabaseNumbers
{
    private readonly ConcurrentDictionary<Guid, StrongBox<long>> _last = new();

    /// <summary>Returns the database's next number.</summary>
    public long Next(Guid databaseId) => Interlocked.Increment(ref _last.GetOrAdd(databaseId, static _ => new StrongBox<long>()).Value);
}

using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Statistics;

namespace Jackdaw.Documents;

/// <summary>What the engine under a database tells of itself.</summary>
public sealed partial class Database
{
    /// <summary>Every operation on the database's files since it was opened, by kind.</summary>
    public IoStatistics IoStatistics => _host.IoStatistics;

    /// <summary>Positions, scratch, journal and readers, now.</summary>
    public EnvironmentStatistics StorageStatistics()
    {
        if (!_uses.TryEnter())
            throw Unavailable();
        try
        {
            return _host.Storage.GetStatistics();
        }
        finally
        {
            _uses.Leave();
        }
    }
}

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

    /// <summary>Opens a note, making it when there is none; its owner disposes of it before the database closes
    /// (<see cref="Attach"/>).</summary>
    /// <param name="name">Lower-case letters, digits, hyphens.</param>
    public DatabaseNote OpenNote(string name)
    {
        CheckNoteName(name);
        return _host.OpenNote(name);
    }

    /// <summary>Removes a note that is not open; nothing happens when there is none.</summary>
    public void DeleteNote(string name)
    {
        CheckNoteName(name);
        _host.DeleteNote(name);
    }

    private static void CheckNoteName(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (!name.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '-'))
            throw new ArgumentException($"'{name}' is no name of a note.", nameof(name));
    }
}

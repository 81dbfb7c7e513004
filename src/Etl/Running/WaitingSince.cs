namespace Jackdaw.Etl.Running;

/// <summary>
/// Since when a transform's changes wait, by the position that they follow. The oldest change that can still be read does not tell
/// it: a document that is changed again while it waits has the time of its last change. Thread-safe.
/// </summary>
internal sealed class WaitingSince
{
    /// <summary>More positions are never looked at: those of the batches in memory and the transform's own.</summary>
    private const int Most = 8;

    private readonly Lock _lock = new();
    private readonly List<(long Position, long Ticks)> _notes = [];

    /// <summary>Notes that a change behind a position was made at a time. Returns the earliest time noted for that position.</summary>
    /// <param name="position">The change is the first wanted one behind it.</param>
    /// <param name="ticks">When it was made: UTC ticks.</param>
    /// <param name="passed">The transform's position: what was noted for those before it is forgotten.</param>
    public long Note(long position, long ticks, long passed)
    {
        lock (_lock)
        {
            _notes.RemoveAll(note => note.Position < passed);
            int known = _notes.FindIndex(note => note.Position == position);
            if (known >= 0)
            {
                ticks = Math.Min(ticks, _notes[known].Ticks);
                _notes.RemoveAt(known);
            }
            if (_notes.Count == Most)
                _notes.RemoveAt(0);
            _notes.Add((position, ticks));
            return ticks;
        }
    }

    /// <summary>The transform goes on from a position: what was noted for others is forgotten.</summary>
    public void Keep(long position)
    {
        lock (_lock)
            _notes.RemoveAll(note => note.Position != position);
    }
}

namespace Jackdaw.Storage.Tables;

/// <summary>Tells a cursor which rows to pass over: remembers the marks around the last key it was asked for. A mutable struct:
/// keep it in a field.</summary>
internal unsafe struct LiveRowFilter(DeadRows? dead)
{
    private readonly DeadRows? _dead = dead;
    private byte* _word;
    private long _wordOf = -1;
    private bool _anyIsDead;

    /// <summary>To be called when the cursor is placed: the marks may have changed since it was placed before.</summary>
    public void Begin()
    {
        _wordOf = -1;
        _anyIsDead = _dead is { Counters.Rows: > 0 };
    }

    /// <summary>No row is dead: nobody need be asked.</summary>
    public readonly bool PassesAll => !_anyIsDead;

    public bool Passes(ReadOnlySpan<byte> primaryKey)
    {
        long key = DeadRows.KeyOf(primaryKey);
        if (key / DeadRows.RowsAWord != _wordOf)
        {
            _wordOf = key / DeadRows.RowsAWord;
            _word = _dead!.FindWord(key);
        }
        return !DeadRows.IsIn(_word, key);
    }
}

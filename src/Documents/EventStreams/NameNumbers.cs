using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Errors;

namespace Jackdaw.Documents.EventStreams;

/// <summary>
/// The numbers of an append's texts. A text that is not stored yet has a provisional number below 0 until the append stores it, so
/// that outcomes are known before anything changes.
/// </summary>
internal sealed class NameNumbers(AppendOperation append)
{
    private readonly Dictionary<ByteRange, int> _known = new(new TextComparer(append));
    private readonly List<(ByteRange Text, int Stored)> _provisional = [];
    private EventTables? _tables;
    private int _last;

    public void Begin(EventTables? tables)
    {
        _known.Clear();
        _provisional.Clear();
        _tables = tables;
        _last = -1;
    }

    /// <summary>The number of a text; 0 for an empty one.</summary>
    public int Of(ByteRange text)
    {
        if (text.IsEmpty)
            return 0;
        if (_known.TryGetValue(text, out int number))
            return number;
        number = _tables?.FindName(append.Text(text)) ?? 0;
        if (number == 0)
        {
            _provisional.Add((text, 0));
            number = -_provisional.Count;
        }
        _known.Add(text, number);
        return number;
    }

    /// <summary>As <see cref="Of"/>, stored if it is not yet.</summary>
    public int Store(ByteRange text, EventTables tables)
    {
        int number = Of(text);
        if (number >= 0)
            return number;
        if (Stored(number) is var stored and > 0)
            return stored;
        if (_last < 0)
            _last = ReadLast(tables);
        if (_last == int.MaxValue)
            throw new NumbersExhaustedException("The list of event manifests, writers and tags", _last);
        _last++;
        Span<byte> key = stackalloc byte[EventsRoom.NameKeyBytes];
        EventsRoom.WriteNameKey(_last, key);
        tables.Names.Insert(key, append.Text(text));
        _provisional[-number - 1] = (text, _last);
        return _last;
    }

    /// <summary>The number that a text was stored under, by its number in this append; below 0: it is not stored.</summary>
    public int Stored(int number)
    {
        if (number >= 0)
            return number;
        int stored = _provisional[-number - 1].Stored;
        return stored == 0 ? number : stored;
    }

    private static int ReadLast(EventTables tables)
    {
        using var cursor = tables.Names.OpenCursor();
        return cursor.SeekLast() ? EventsRoom.ReadNameKey(cursor.Key) : 0;
    }
}

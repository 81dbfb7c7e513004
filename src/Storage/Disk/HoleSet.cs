namespace Jackdaw.Storage.Disk;

/// <summary>The unallocated ranges of a file that is kept in memory, in whole blocks of 4,096 bytes. Not thread-safe.</summary>
internal sealed class HoleSet
{
    public const int Block = 4096;

    // Start to end, both multiples of the block, disjoint and not adjacent.
    private readonly SortedList<long, long> _ranges = [];

    public bool IsEmpty => _ranges.Count == 0;

    /// <summary>Makes the whole blocks inside the range a hole.</summary>
    public void Add(long offset, long length)
    {
        var start = (offset + Block - 1) / Block * Block;
        var end = (offset + length) / Block * Block;
        if (start >= end)
            return;
        for (var i = FirstEndingAtOrAfter(start); i < _ranges.Count && _ranges.GetKeyAtIndex(i) <= end; )
        {
            start = Math.Min(start, _ranges.GetKeyAtIndex(i));
            end = Math.Max(end, _ranges.GetValueAtIndex(i));
            _ranges.RemoveAt(i);
        }
        _ranges.Add(start, end);
    }

    /// <summary>Every block that the range touches is allocated.</summary>
    public void Remove(long offset, long length)
    {
        if (IsEmpty || length <= 0)
            return;
        var start = offset / Block * Block;
        var end = (offset + length + Block - 1) / Block * Block;
        for (var i = FirstEndingAtOrAfter(start + 1); i < _ranges.Count && _ranges.GetKeyAtIndex(i) < end; )
        {
            var (holeStart, holeEnd) = (_ranges.GetKeyAtIndex(i), _ranges.GetValueAtIndex(i));
            _ranges.RemoveAt(i);
            if (holeStart < start)
            {
                _ranges.Add(holeStart, start);
                i++;
            }
            if (holeEnd > end)
            {
                _ranges.Add(end, holeEnd);
                i++;
            }
        }
    }

    /// <summary>The first hole at or after the offset and before the end of the file.</summary>
    public bool TryFind(long offset, long fileLength, out long holeOffset, out long holeLength)
    {
        (holeOffset, holeLength) = (0, 0);
        var i = FirstEndingAtOrAfter(offset + 1);
        if (i == _ranges.Count || _ranges.GetKeyAtIndex(i) >= fileLength)
            return false;
        holeOffset = Math.Max(offset, _ranges.GetKeyAtIndex(i));
        holeLength = Math.Min(_ranges.GetValueAtIndex(i), fileLength) - holeOffset;
        return true;
    }

    public HoleSet Clone()
    {
        var copy = new HoleSet();
        foreach (var (start, end) in _ranges)
            copy._ranges.Add(start, end);
        return copy;
    }

    /// <summary>Ranges are disjoint, so their ends ascend as their starts do.</summary>
    private int FirstEndingAtOrAfter(long position)
    {
        var (low, high) = (0, _ranges.Count);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (_ranges.GetValueAtIndex(middle) < position)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
}

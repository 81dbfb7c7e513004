using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Data;

/// <summary>
/// Reads ahead of whoever goes through cold pages in order, and only of them: a point read brings in its own page and nothing
/// else. Shared by all readers
/// without a lock; a race costs a hint too many or too few.
/// </summary>
internal sealed class ReadAhead(DataFile data)
{
    /// <summary>Pages of other structures that may lie between two pages of a scan.</summary>
    private const long MaxStep = 8;

    private const long FirstWindow = 8;

    /// <summary>Pages read ahead at most: a megabyte, about a millisecond of a device, so that others are not kept waiting.</summary>
    private const long LastWindow = 128;

    private long _last = -2 * MaxStep;
    private long _end;
    private long _window;

    /// <summary>A page was found cold and is about to be read.</summary>
    public void Note(long page)
    {
        var step = page - _last;
        _last = page;
        if (step is <= 0 or > MaxStep)
        {
            _window = 0;
            _end = page;
            return;
        }
        // The next piece is begun while half of the one before is still to be used.
        if (page < _end - _window / 2)
            return;
        _window = _window == 0 ? FirstWindow : Math.Min(_window * 2, LastWindow);
        var from = Math.Max(_end, page + 1);
        var to = Math.Min(page + 1 + _window, data.Pages);
        if (from >= to)
            return;
        _end = to;
        data.File.BeginRead(from * PageLayout.PageSize, (to - from) * PageLayout.PageSize);
    }
}

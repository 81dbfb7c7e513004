using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Data;

/// <summary>Remembers which pages were found damaged, so that an operator learns of them whoever met them first. Thread-safe;
/// used only where
/// a page is damaged.</summary>
internal sealed class DamagedPages(TimeProvider clock)
{
    /// <summary>Pages that are remembered. A file with more damage than this needs no longer list.</summary>
    public const int MaxPages = 100;

    private readonly Lock _gate = new();
    private readonly Dictionary<long, DamagedPage> _pages = [];

    /// <summary>Returns the damaged pages, the first found first; at most <see cref="MaxPages"/>.</summary>
    public IReadOnlyList<DamagedPage> All
    {
        get
        {
            lock (_gate)
                return [.. _pages.Values.OrderBy(page => page.FirstMet).ThenBy(page => page.Page)];
        }
    }

    /// <summary>Remembers the damage and returns it, for the caller to throw.</summary>
    public CorruptedDataException Noted(CorruptedDataException damage)
    {
        long page = damage.Offset / PageLayout.PageSize;
        lock (_gate)
        {
            if (_pages.TryGetValue(page, out var known))
                _pages[page] = known with { TimesMet = known.TimesMet + 1 };
            else if (_pages.Count < MaxPages)
                _pages.Add(page, new DamagedPage(damage.Path, page, damage.Message, clock.GetUtcNow(), 1));
        }
        return damage;
    }
}

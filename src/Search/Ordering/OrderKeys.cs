using Jackdaw.Search.Columns;
using Jackdaw.Search.Matching;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Ordering;

/// <summary>The keys of an order, the most important first. What is equal in all is ordered by entry id, ascending.</summary>
internal sealed class OrderKeys
{
    private readonly OrderKey[] _keys;

    public OrderKeys(IndexView view, IReadOnlyList<SearchOrder> orders)
    {
        if (orders.Count > SearchQueryLimits.MaxOrderKeys)
            throw new SearchQueryException(
                $"The order has {orders.Count} keys; the limit is {SearchQueryLimits.MaxOrderKeys} (SearchQueryLimits.MaxOrderKeys)."
            );
        _keys = new OrderKey[orders.Count];
        for (int i = 0; i < _keys.Length; i++)
        {
            bool hasField = orders[i].Kind is not (SearchOrderKind.Random or SearchOrderKind.Entry);
            _keys[i] = new OrderKey(orders[i], hasField ? view.Field(orders[i].Field) : null);
        }
    }

    public ReadOnlySpan<OrderKey> All => _keys;

    public int Count => _keys.Length;

    /// <summary>Where an entry stands.</summary>
    public SearchPosition PositionOf(long entry)
    {
        if (Count == 0)
            return new SearchPosition(default, entry);
        var bytes = new List<byte>();
        foreach (var key in _keys)
            key.Write(key.Of(entry), bytes);
        return new SearchPosition(bytes.ToArray(), entry);
    }

    /// <summary>An order that is another one each time has no places to resume behind.</summary>
    public void RequireResumable()
    {
        if (Array.Exists(_keys, key => key.Order is { Kind: SearchOrderKind.Random, Seed: null }))
            throw new SearchQueryException("A random order without a seed cannot be resumed: give it a seed.");
    }

    /// <summary>Reads the cells of a position.</summary>
    public void Read(SearchPosition position, Span<ColumnCell> cells)
    {
        int at = 0;
        for (int i = 0; i < _keys.Length; i++)
            cells[i] = _keys[i].Read(position.Keys.Span, ref at);
        if (at != position.Keys.Length)
            throw new SearchQueryException("The position to resume behind was not made by this order.");
    }

    public override string ToString() => string.Join(", ", _keys.Select(Describe));

    private static string Describe(OrderKey key)
    {
        string direction = key.Order.IsDescending ? " descending" : "";
        string field = key.Order.Field.Length == 0 ? "" : $" of {key.Order.Field}";
        return $"{key.Order.Kind}{field}{direction}";
    }
}

using System.Collections;
using System.Runtime.CompilerServices;

namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>An immutable list that is equal to another of equal elements, as the records that hold it need.</summary>
[CollectionBuilder(typeof(RqlList), nameof(RqlList.Create))]
internal sealed class RqlList<T>(T[] items) : IReadOnlyList<T>, IEquatable<RqlList<T>>
{
    public static RqlList<T> Empty { get; } = new([]);

    public int Count => items.Length;

    public T this[int index] => items[index];

    public bool Equals(RqlList<T>? other) => other is not null && items.AsSpan().SequenceEqual(other.Items);

    public override bool Equals(object? obj) => Equals(obj as RqlList<T>);

    public override int GetHashCode()
    {
        var hash = new HashCode();
        foreach (var item in items)
            hash.Add(item);
        return hash.ToHashCode();
    }

    public IEnumerator<T> GetEnumerator() => ((IEnumerable<T>)items).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => items.GetEnumerator();

    private T[] Items => items;
}

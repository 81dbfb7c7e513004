using System.Collections.Immutable;

namespace Jackdaw.Simulation.Workloads;

/// <summary>The model of a term: its value, and the structures embedded in it.</summary>
/// <param name="Value">All of the value's bytes, those of the states included, which are not compared.</param>
/// <param name="Numbers">Of the posting set.</param>
/// <param name="Entries">Of the tree.</param>
internal sealed record TermState(Stored Value, ImmutableSortedSet<long> Numbers, ImmutableSortedDictionary<int, Stored> Entries)
{
    public static TermState With(Stored value) => new(value, ImmutableSortedSet<long>.Empty, ImmutableSortedDictionary<int, Stored>.Empty);
}

using System.Buffers;
using Jackdaw.Search.Postings;

namespace Jackdaw.Search.Matching;

/// <summary>
/// The entries that fit a condition, evaluated block by block as they are asked for. A match is either read (<see cref="Fill"/>) or
/// filters what others have read (<see cref="Retain"/>, <see cref="Exclude"/>), in ascending order both; <see cref="Rewind"/> lets either
/// begin again.
/// </summary>
internal abstract class Match : IDisposable
{
    /// <summary>Ids that are asked for at a time, at least.</summary>
    public const int BlockIds = 1024;

    /// <summary>Entries at most; exactly so many where <see cref="IsExact"/>.</summary>
    public abstract long Count { get; }

    /// <summary>Is <see cref="Count"/> the number of entries?</summary>
    public abstract bool IsExact { get; }

    /// <summary>Fills in the next ids, ascending; returns how many, 0 at the end.</summary>
    /// <param name="ids">At least <see cref="BlockIds"/>.</param>
    public abstract int Fill(Span<long> ids);

    /// <summary>Passes over the ids before this one.</summary>
    public abstract void SeekTo(long id);

    /// <summary>Begins again.</summary>
    public abstract void Rewind();

    /// <summary>Keeps the ids that fit at the front; returns how many.</summary>
    /// <param name="ids">Ascending, and behind those of the call before.</param>
    public abstract int Retain(Span<long> ids);

    /// <summary>Keeps the ids that do not fit at the front; returns how many. Otherwise as <see cref="Retain"/>.</summary>
    public virtual int Exclude(Span<long> ids)
    {
        long[] copy = ArrayPool<long>.Shared.Rent(ids.Length);
        ids.CopyTo(copy);
        int fitting = Retain(copy.AsSpan(0, ids.Length));
        int kept = SortedIds.Except(ids, copy.AsSpan(0, fitting));
        ArrayPool<long>.Shared.Return(copy);
        return kept;
    }

    /// <summary>Says that it will filter about so many ids: a hint for how to do so.</summary>
    public virtual void Expect(long ids) { }

    /// <summary>Describes itself, for people.</summary>
    public abstract void Describe(MatchDescription description);

    /// <inheritdoc/>
    public abstract void Dispose();
}

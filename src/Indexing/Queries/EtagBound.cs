namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Ends an answer in etag order that goes on over several readers while others write. Documents written meanwhile come behind
/// <paramref name="FirstEtag"/>, among them old ones that were not reached yet. So all that is there when the answer comes to the first
/// of them is given. Writers may be faster than the client: of what is written later at most <paramref name="Most"/> are given.
/// </summary>
/// <param name="FirstEtag">The highest etag when the first reader began; then the highest when the answer came behind that.</param>
/// <param name="IsBehindFirst">The answer has come behind the highest etag of the first reader.</param>
/// <param name="Most">Documents that the query went over when the first reader began.</param>
/// <param name="Given">Results behind the second <paramref name="FirstEtag"/> so far.</param>
internal readonly record struct EtagBound(long FirstEtag, bool IsBehindFirst, long Most, long Given)
{
    /// <summary>Counts a result; false: it is one too many.</summary>
    /// <param name="bound">The bound.</param>
    /// <param name="etag">Of the result.</param>
    /// <param name="lastEtag">The highest of the reader.</param>
    public static bool TryPass(ref EtagBound bound, long etag, long lastEtag)
    {
        if (etag > bound.FirstEtag && !bound.IsBehindFirst)
            bound = bound with { FirstEtag = lastEtag, IsBehindFirst = true };
        if (etag <= bound.FirstEtag)
            return true;
        if (bound.Given >= bound.Most)
            return false;
        bound = bound with { Given = bound.Given + 1 };
        return true;
    }
}

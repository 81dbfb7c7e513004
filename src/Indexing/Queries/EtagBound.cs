namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Ends an answer in etag order that goes on over several readers while others write. Documents written meanwhile come behind
/// <paramref name="FirstEtag"/>, and writers may be faster than the client: of those at most <paramref name="Most"/> are given.
/// </summary>
/// <param name="FirstEtag">The highest etag when the first reader began.</param>
/// <param name="Most">Documents that the query went over then.</param>
/// <param name="Given">Results behind <paramref name="FirstEtag"/> so far.</param>
internal readonly record struct EtagBound(long FirstEtag, long Most, long Given)
{
    /// <summary>Counts a result; false: it is one too many.</summary>
    public static bool TryPass(ref EtagBound bound, long etag)
    {
        if (etag <= bound.FirstEtag)
            return true;
        if (bound.Given >= bound.Most)
            return false;
        bound = bound with { Given = bound.Given + 1 };
        return true;
    }
}

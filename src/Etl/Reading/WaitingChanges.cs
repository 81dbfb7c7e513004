using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.Reading;

/// <summary>How much a transform has yet to read, without reading it: whoever asks often must not wait for a million documents.</summary>
internal static class WaitingChanges
{
    /// <summary>Index entries looked at, at each side of the position, of all collections together.</summary>
    private const int Counted = 4096;

    /// <summary>Of one collection, however many there are.</summary>
    private const int LeastCounted = 64;

    /// <summary>Documents above an etag, and deletions if the transform sends them.</summary>
    public static CountedChanges Count(DocumentsReader reader, TransformConfiguration transform, long afterEtag)
    {
        string[] collections = transform.ApplyToAllDocuments
            ? reader.Collections().Select(collection => collection.Name).Where(transform.Wants).ToArray()
            : transform.Collections.Distinct(StringComparer.OrdinalIgnoreCase).ToArray();
        int atMost = Math.Max(LeastCounted, Counted / Math.Max(1, collections.Length));
        var counted = new CountedChanges(0, IsExact: true);
        foreach (string collection in collections)
        {
            counted = counted.With(reader.CountDocuments(collection, afterEtag, atMost));
            if (transform.PublishDeletes)
                counted = counted.With(reader.CountTombstones(collection, afterEtag, atMost));
        }
        return counted;
    }
}

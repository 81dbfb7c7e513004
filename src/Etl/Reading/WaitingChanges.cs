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
        string[] collections = Collections(reader, transform);
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

    /// <summary>The highest etag that a change for the transform ever had; what others write has no part in it.</summary>
    public static long LastEtag(DocumentsReader reader, TransformConfiguration transform)
    {
        long last = 0;
        foreach (string name in Collections(reader, transform))
        {
            if (reader.Collection(name) is { } collection)
                last = Math.Max(
                    last,
                    transform.PublishDeletes
                        ? Math.Max(collection.LastDocumentEtag, collection.LastTombstoneEtag)
                        : collection.LastDocumentEtag
                );
        }
        return last;
    }

    private static string[] Collections(DocumentsReader reader, TransformConfiguration transform) =>
        transform.ApplyToAllDocuments
            ? reader.Collections().Select(collection => collection.Name).Where(transform.Wants).ToArray()
            : transform.Collections.Distinct(StringComparer.OrdinalIgnoreCase).ToArray();
}

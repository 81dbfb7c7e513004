namespace Jackdaw.Indexing.Queries;

/// <summary>What is kept of a document to put it in order and to read it again: some 40 bytes and its id.</summary>
internal readonly record struct LocatedDocument(long Etag, byte[] LowerId)
{
    public static IComparer<LocatedDocument> ByEtag { get; } = Comparer<LocatedDocument>.Create((x, y) => x.Etag.CompareTo(y.Etag));

    public static IComparer<LocatedDocument> ById { get; } =
        Comparer<LocatedDocument>.Create((x, y) => x.LowerId.AsSpan().SequenceCompareTo(y.LowerId));
}

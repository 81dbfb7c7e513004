namespace Jackdaw.Documents.Layout;

/// <summary>The moments at which something happens to a document, UTC ticks; null: nothing does.</summary>
/// <param name="Expires">The document is deleted.</param>
/// <param name="Refresh">The document is written again without this date.</param>
internal readonly record struct DocumentDates(long? Expires, long? Refresh)
{
    /// <summary>Bytes that a row has for them.</summary>
    public int SizeBytes => ((Expires is null ? 0 : 1) + (Refresh is null ? 0 : 1)) * sizeof(long);

    /// <summary>The date of a kind.</summary>
    public long? Of(DocumentDateKind kind) => kind == DocumentDateKind.Expires ? Expires : Refresh;
}

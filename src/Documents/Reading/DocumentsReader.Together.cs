using System.Runtime.CompilerServices;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.Reading;

/// <summary>Looking many documents up together.</summary>
public sealed partial class DocumentsReader
{
    /// <summary>
    /// The documents of up to <see cref="BTree.MaxTogether"/> ids, looked up together: in a large database that takes much less time than
    /// one after another. They stay readable as long as the reader. Events are not among them: <see cref="IsEvent"/>.
    /// </summary>
    /// <param name="lowerIds">In lower case. An empty one has no document.</param>
    /// <param name="found">As many places; what was found.</param>
    [SkipLocalsInit]
    public void GetTogether(ReadOnlySpan<PageBytes> lowerIds, Span<FoundDocument> found)
    {
        Invariant.Require(lowerIds.Length <= BTree.MaxTogether && found.Length == lowerIds.Length);
        Span<PageBytes> etags = stackalloc PageBytes[BTree.MaxTogether];
        Span<PageBytes> rows = stackalloc PageBytes[BTree.MaxTogether];
        etags = etags[..lowerIds.Length];
        rows = rows[..lowerIds.Length];
        _documents.TryGetByIndexTogether(Schema.DocumentsById, lowerIds, etags, rows);
        for (int i = 0; i < found.Length; i++)
            found[i] = rows[i].IsThere ? new FoundDocument(Schema.ReadEtagKey(etags[i].Span), rows[i]) : default;
    }

    /// <summary>The id is one of an event: <see cref="TryGet(ReadOnlySpan{byte}, out Document)"/> finds it.</summary>
    /// <param name="lowerId">In lower case.</param>
    public static bool IsEvent(ReadOnlySpan<byte> lowerId) => lowerId.StartsWith(CollectionNames.EventIds);
}

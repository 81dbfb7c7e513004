using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Layout;

namespace Jackdaw.Documents.Json;

/// <summary>
/// A document taken apart: its body in up to two pieces of the text it came in (or one piece of the command's own buffer), the
/// client's metadata and
/// the collection in the command's own buffer.
/// </summary>
internal struct SplitDocument
{
    /// <summary>The body is in the command's buffer (it had to be rewritten), not in the text given.</summary>
    public bool BodyIsOwned;

    /// <summary>From <c>{</c>; with <see cref="BodyTail"/> after it, the document without <c>@metadata</c>.</summary>
    public ByteRange BodyHead;

    public ByteRange BodyTail;

    /// <summary>In the command's buffer: the client's metadata members, raw, joined by commas.</summary>
    public ByteRange Metadata;

    /// <summary>The dates that the metadata names.</summary>
    public DocumentDates Dates;

    /// <summary>In the command's buffer: the collection's name, unescaped; empty for none.</summary>
    public ByteRange Collection;

    /// <summary>In the command's buffer: the lower-cased collection's name; empty for none.</summary>
    public ByteRange LowerCollection;

    public readonly ReadOnlySpan<byte> CollectionName(in CommandBuffer buffer) =>
        Collection.IsEmpty ? CollectionNames.Empty : buffer.Slice(Collection);

    public readonly ReadOnlySpan<byte> LowerCollectionName(in CommandBuffer buffer) =>
        LowerCollection.IsEmpty ? CollectionNames.Empty : buffer.Slice(LowerCollection);
}

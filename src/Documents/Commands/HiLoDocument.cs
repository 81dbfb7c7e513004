using System.Buffers.Text;
using System.Text.Json;
using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Commands;

/// <summary>
/// The ordinary document <c>Raven/Hilo/&lt;tag&gt;</c> in which the highest id handed out of a tag is kept as <c>{"Max":n}</c>.
/// Users may edit it: its other members,
/// metadata and collection are left as they are.
/// </summary>
internal sealed class HiLoDocument
{
    private readonly byte[] _id;
    private readonly byte[] _lowerId;
    private byte[] _changeVector = new byte[ChangeVector.MaxElementBytes];

    public HiLoDocument(string tag)
    {
        if (string.IsNullOrEmpty(tag))
            throw new InvalidDocumentIdException("A HiLo range needs a tag.");
        byte[] utf8 = new byte[Limits.MaxIdBytes];
        _id = utf8[..DocumentId.WriteUtf8("Raven/Hilo/" + tag, utf8)];
        DocumentId.Validate(_id);
        _lowerId = DocumentId.Lower(_id)!;
    }

    public int SizeBytes => _id.Length;

    /// <summary>0 when there is no document, or no number in it.</summary>
    public long ReadMax(DocumentsWriter writer) =>
        writer.TryGet(_lowerId, out var document, out _) && TryFindMax(document.Body, out _, out long max) ? max : 0;

    public void WriteMax(DocumentsWriter writer, long max)
    {
        bool exists = writer.TryGet(_lowerId, out var existing, out long existingEtag);
        Span<byte> digits = stackalloc byte[20];
        Invariant.Require(Utf8Formatter.TryFormat(max, digits, out int digitCount));
        byte[] body = Splice(exists ? existing.Body : "{}"u8, digits[..digitCount]);
        byte[] id = exists ? existing.Id.ToArray() : _id;
        byte[] metadata = exists ? existing.Metadata.ToArray() : [];
        var dates = exists ? existing.Dates : default;
        uint collectionId = exists ? existing.CollectionId : writer.FindCollection(CollectionNames.HiLo);
        var flags = exists ? existing.Flags : default;
        if (collectionId == 0)
            collectionId = writer.CreateCollection(CollectionNames.HiLo, CollectionNames.HiLo);
        long etag = writer.NextEtag();
        int changeVectorLength = writer.WriteChangeVector(etag, _changeVector);
        writer.Apply(
            new NewDocument
            {
                Id = id,
                LowerId = _lowerId,
                Etag = etag,
                ChangeVector = _changeVector.AsSpan(0, changeVectorLength),
                LastModifiedTicks = writer.NowTicks,
                Collection = writer.CollectionName(collectionId),
                CollectionId = collectionId,
                Flags = flags,
                Metadata = metadata,
                Dates = dates,
                BodyHead = body,
            },
            exists ? existingEtag : 0
        );
    }

    /// <summary>The body with its member Max set to the number.</summary>
    private static byte[] Splice(ReadOnlySpan<byte> body, ReadOnlySpan<byte> digits)
    {
        if (TryFindMax(body, out var value, out _))
            return [.. body[..value.Start], .. digits, .. body[value.End..]];
        var rest = body[1..];
        bool isEmpty = rest.Length == 1;
        return [.. "{\"Max\":"u8, .. digits, .. isEmpty ? default : ","u8, .. rest];
    }

    private static bool TryFindMax(ReadOnlySpan<byte> body, out ByteRange value, out long max)
    {
        value = default;
        max = 0;
        bool found = false;
        var reader = new Utf8JsonReader(body, new JsonReaderOptions { MaxDepth = int.MaxValue });
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            bool isMax = JsonName.Is(in reader, "Max"u8);
            reader.Read();
            if (isMax)
            {
                // A Max that is no number counts as 0 and is replaced; the last of several counts.
                int start = (int)reader.TokenStartIndex;
                if (reader.TokenType != JsonTokenType.Number || !reader.TryGetInt64(out max))
                    max = 0;
                reader.Skip();
                value = new ByteRange(start, (int)reader.BytesConsumed - start);
                found = true;
                continue;
            }
            reader.Skip();
        }
        return found;
    }
}

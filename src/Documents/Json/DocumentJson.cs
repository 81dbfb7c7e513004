using System.Buffers;
using Jackdaw.Documents.Reading;

namespace Jackdaw.Documents.Json;

/// <summary>Documents as they go over the wire.</summary>
public static class DocumentJson
{
    /// <summary>
    /// Writes <c>{body…,"@metadata":{client's keys…,"@collection","@change-vector","@flags"?,"@id","@last-modified"}}</c> in UTF-8, on one line, without allocating.
    /// </summary>
    public static void Write(in Document document, IBufferWriter<byte> output) => throw new NotSupportedException();

    /// <summary>Writes <c>{"@metadata":{…}}</c> alone.</summary>
    public static void WriteMetadataOnly(in Document document, IBufferWriter<byte> output) => throw new NotSupportedException();
}

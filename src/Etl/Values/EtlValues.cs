using Jackdaw.Documents.Reading;

namespace Jackdaw.Etl.Values;

/// <summary>Reading what ETL keeps in a database.</summary>
internal static class EtlValues
{
    /// <summary>Finds a value; the span is valid until the reader ends.</summary>
    public static bool TryGetEtlValue(this DocumentsReader reader, string key, out ReadOnlySpan<byte> value) =>
        reader.Of(EtlRoom.Instance).TryGetValue(key, out value);

    /// <summary>The values whose keys begin with a prefix, in the order of keys' bytes; copied.</summary>
    public static IReadOnlyList<KeyValuePair<string, byte[]>> EtlValuesOf(this DocumentsReader reader, string prefix) =>
        reader.Of(EtlRoom.Instance).Values(prefix);
}

using System.Text.Json;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Mapping;

namespace Jackdaw.Simulation.Following;

/// <summary>A map that some documents cannot be mapped by: what it has added of them by then must not stay.</summary>
internal sealed class PickyMap(IIndexMap map) : IIndexMap
{
    private const int Unmappable = 7;

    public void Begin(IEntryWriter writer) => map.Begin(writer);

    public void Map(in Document document, IEntryWriter writer)
    {
        map.Map(document, writer);
        var json = new Utf8JsonReader(document.Body);
        while (json.Read())
        {
            if (json.TokenType != JsonTokenType.PropertyName || !json.ValueTextEquals("n"u8))
                continue;
            json.Read();
            if (Refuses(json.GetInt64()))
                throw new MappingException("It cannot be mapped.");
        }
    }

    public void Dispose() => map.Dispose();

    /// <summary>Documents with this number cannot be mapped.</summary>
    public static bool Refuses(long number) => number % Unmappable == 0;
}

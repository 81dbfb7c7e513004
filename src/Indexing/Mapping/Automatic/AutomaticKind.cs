using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Mapping.Automatic;

/// <summary>Automatic maps: fields by path, one entry a document.</summary>
internal sealed class AutomaticKind : IIndexKind
{
    private AutomaticKind() { }

    public static AutomaticKind Instance { get; } = new();

    public string Name => "AutoMap";

    public IReadOnlyList<string> Collections(AutoIndexDefinition definition) => definition.Collection is { } collection ? [collection] : [];

    public IIndexMap Compile(AutoIndexDefinition definition) => new AutomaticMap(definition);
}

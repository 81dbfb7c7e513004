using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Mapping;

/// <summary>A kind of index: what a definition of it means. The processes know nothing else of it.</summary>
internal interface IIndexKind
{
    /// <summary>As the protocol calls it, and as records keep it.</summary>
    string Name { get; }

    /// <summary>The collections that an index of the definition reads; empty: all.</summary>
    IReadOnlyList<string> Collections(AutoIndexDefinition definition);

    /// <summary>Makes what maps the documents.</summary>
    IIndexMap Compile(AutoIndexDefinition definition);
}

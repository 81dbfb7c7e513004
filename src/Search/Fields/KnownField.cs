using Jackdaw.Search.Analysis;
using Jackdaw.Search.Postings;

namespace Jackdaw.Search.Fields;

/// <summary>What never changes of a field, with what is derived from it.</summary>
internal sealed class KnownField(string name, ushort id, FieldOptions options)
{
    public string Name { get; } = name;

    public ushort Id { get; } = id;

    public FieldOptions Options { get; } = options;

    public IAnalyzer Analyzer { get; } = Analyzers.Of(options.Analyzer);

    /// <summary>What the postings of its text terms carry. Marks and numbers carry nothing.</summary>
    public PostingOptions TextPostings { get; } =
        (options.KeepsFrequencies ? PostingOptions.Frequencies : PostingOptions.None)
        | (options.KeepsPositions ? PostingOptions.Positions : PostingOptions.None);

    public string TextsName { get; } = StructureNames.Texts(id);

    public string NumbersName { get; } = StructureNames.Numbers(id);

    public string TermNamesName { get; } = StructureNames.TermNames(id);

    public string ColumnName { get; } = StructureNames.Column(id);

    public string LengthsName { get; } = StructureNames.Lengths(id);
}

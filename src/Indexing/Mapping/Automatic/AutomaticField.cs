using Jackdaw.Indexing.Definitions;
using Jackdaw.Search;

namespace Jackdaw.Indexing.Mapping.Automatic;

/// <summary>A field of an automatic index while documents are mapped: which fields of the search engine its values go to.</summary>
/// <param name="definition">The field.</param>
internal sealed class AutomaticField(AutoIndexField definition)
{
    private static readonly FieldOptions s_plain = new();
    private static readonly FieldOptions s_exact = new() { Analyzer = AnalyzerKind.Exact };

    private static readonly FieldOptions s_search = new()
    {
        Analyzer = AnalyzerKind.Standard,
        IsSortable = false,
        KeepsFrequencies = true,
        KeepsPositions = true,
    };

    private readonly string _searchName = AutoIndexDefinitions.SearchField(definition.Path);
    private readonly string _exactName = AutoIndexDefinitions.ExactField(definition.Path);
    private ushort _plain;
    private ushort _search;
    private ushort _exact;
    private readonly byte[] _date = new byte[DateTexts.Length];
    private bool _hasValue;
    private bool _sawEmptyArray;

    /// <summary>A batch begins.</summary>
    public void Begin(IEntryWriter writer)
    {
        _plain = writer.Field(definition.Path, s_plain);
        if (definition.HasSearch)
            _search = writer.Field(_searchName, s_search);
        if (definition.HasExact)
            _exact = writer.Field(_exactName, s_exact);
    }

    /// <summary>An entry begins.</summary>
    public void BeginEntry() => _hasValue = _sawEmptyArray = false;

    /// <summary>An array without elements lies on the path.</summary>
    public void NoteEmptyArray() => _sawEmptyArray = true;

    /// <summary>A date becomes the text of its moment, but for words and exact values.</summary>
    public void AddText(IEntryWriter writer, ReadOnlySpan<byte> utf8)
    {
        _hasValue = true;
        writer.AddText(_plain, DateTexts.MayBe(utf8) && DateTexts.TryWrite(utf8, _date) ? _date : utf8);
        if (definition.HasSearch)
            writer.AddText(_search, utf8);
        if (definition.HasExact)
            writer.AddText(_exact, utf8);
    }

    /// <param name="writer">Takes it.</param>
    /// <param name="number">The number.</param>
    /// <param name="literal">Its text: it can be searched as a word.</param>
    /// <param name="isBeyondDouble">Its text tells it apart from others of its kind.</param>
    public void AddNumber(IEntryWriter writer, SearchNumber number, ReadOnlySpan<byte> literal, bool isBeyondDouble)
    {
        _hasValue = true;
        writer.AddNumber(_plain, number);
        if (isBeyondDouble)
            writer.AddText(_plain, literal);
        if (definition.HasSearch)
            writer.AddText(_search, literal);
        if (!definition.HasExact)
            return;
        writer.AddNumber(_exact, number);
        if (isBeyondDouble)
            writer.AddText(_exact, literal);
    }

    public void AddNull(IEntryWriter writer)
    {
        _hasValue = true;
        writer.AddNull(_plain);
        if (definition.HasSearch)
            writer.AddNull(_search);
        if (definition.HasExact)
            writer.AddNull(_exact);
    }

    /// <summary>The entry ends: without any value, an empty array on the path is what the field is.</summary>
    public void EndEntry(IEntryWriter writer)
    {
        if (_hasValue || !_sawEmptyArray)
            return;
        writer.AddEmptyArray(_plain);
        if (definition.HasSearch)
            writer.AddEmptyArray(_search);
        if (definition.HasExact)
            writer.AddEmptyArray(_exact);
    }
}

using System.Text;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Search;

namespace Jackdaw.Indexing.Running;

/// <summary>The values of one document's fields, as an index would hold them. Used again for each document.</summary>
internal sealed class EntryValues : IEntryWriter
{
    private readonly Dictionary<string, ushort> _ids = new(StringComparer.Ordinal);
    private readonly List<List<SearchValue>> _values = [];
    private readonly List<AnalyzerKind> _analyzers = [];

    /// <summary>The values of a field, texts as terms; empty for a field that the document does not have.</summary>
    public IReadOnlyList<SearchValue> Of(string field) => _ids.TryGetValue(field, out var id) ? _values[id] : [];

    /// <summary>A text as the field compares it.</summary>
    public string Term(string field, string text) =>
        _ids.TryGetValue(field, out var id) && _analyzers[id] == AnalyzerKind.Exact ? text : text.ToLowerInvariant();

    public ushort Field(string name, FieldOptions options)
    {
        if (_ids.TryGetValue(name, out var known))
            return known;
        var id = (ushort)_values.Count;
        _ids.Add(name, id);
        _values.Add([]);
        _analyzers.Add(options.Analyzer);
        return id;
    }

    public void BeginEntry()
    {
        foreach (var values in _values)
            values.Clear();
    }

    public void AddText(ushort field, ReadOnlySpan<byte> utf8)
    {
        var text = Encoding.UTF8.GetString(utf8);
        _values[field].Add(new SearchValue.Text(_analyzers[field] == AnalyzerKind.Exact ? text : text.ToLowerInvariant()));
    }

    public void AddNumber(ushort field, SearchNumber number) => _values[field].Add(new SearchValue.Number(number));

    public void AddNull(ushort field) => _values[field].Add(SearchValue.Null);

    public void AddEmptyArray(ushort field) => _values[field].Add(SearchValue.EmptyArray);
}

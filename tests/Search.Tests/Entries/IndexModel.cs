using System.Text;
using Jackdaw.Search.Entries;
using Jackdaw.Search.Reading;
using Xunit;

namespace Jackdaw.Search.Tests.Entries;

/// <summary>What an index should have: sources with entries with fields with values.</summary>
internal sealed class IndexModel
{
    /// <summary>Fields by name.</summary>
    public static readonly SortedDictionary<string, FieldOptions> Fields = new(StringComparer.Ordinal)
    {
        ["Name"] = new FieldOptions(),
        ["Exact Name"] = new FieldOptions { Analyzer = AnalyzerKind.Exact, IsSortable = false },
        ["Total"] = new FieldOptions(),
        ["Tags"] = new FieldOptions { Analyzer = AnalyzerKind.LowerCaseKeyword },
        ["Body"] = new FieldOptions
        {
            Analyzer = AnalyzerKind.Standard,
            KeepsFrequencies = true,
            KeepsPositions = true,
        },
        ["Summary"] = new FieldOptions { Analyzer = AnalyzerKind.Standard, KeepsFrequencies = true },
    };

    private readonly SortedDictionary<string, List<ModelEntry>> _sources = new(StringComparer.Ordinal);

    public int EntryCount => _sources.Values.Sum(entries => entries.Count);

    public IReadOnlyCollection<string> Sources => _sources.Keys;

    public IReadOnlyDictionary<string, List<ModelEntry>> Entries => _sources;

    /// <summary>Another one, which changes by itself.</summary>
    public IndexModel Copy()
    {
        var copy = new IndexModel();
        foreach (var (source, entries) in _sources)
            copy._sources.Add(source, entries);
        return copy;
    }

    public void Put(EntryBatch batch, string source, List<ModelEntry> entries)
    {
        Add(batch, source, entries);
        if (entries.Count == 0)
            _sources.Remove(source);
        else
            _sources[source] = entries;
    }

    public void Delete(EntryBatch batch, string source)
    {
        batch.DeleteSource(Encoding.UTF8.GetBytes(source));
        _sources.Remove(source);
    }

    /// <summary>Adds everything to another index.</summary>
    public void PutAll(EntryBatch batch)
    {
        foreach (var (source, entries) in _sources)
            Add(batch, source, entries);
    }

    public static void Add(EntryBatch batch, string source, List<ModelEntry> entries)
    {
        batch.BeginSource(Encoding.UTF8.GetBytes(source));
        foreach (var entry in entries)
        {
            batch.BeginEntry();
            foreach (var (name, value) in entry.Values)
                Add(batch, batch.Field(name, Fields[name]), value);
            if (entry.Stored.Length > 0)
                batch.SetStored(entry.Stored);
        }
    }

    /// <summary>The index has these sources with these entries, and no others.</summary>
    public void RequireSame(SearchReader reader)
    {
        Assert.Equal(EntryCount, reader.EntryCount);
        var found = new SortedDictionary<string, List<string>>(StringComparer.Ordinal);
        for (long id = 1; id <= reader.HighestEntry; id++)
        {
            if (!reader.TryGetSource(id, out var source))
                continue;
            string name = Encoding.UTF8.GetString(source);
            if (!found.TryGetValue(name, out var entries))
                found.Add(name, entries = []);
            entries.Add(Describe(reader, id));
        }
        Assert.Equal(_sources.Keys, found.Keys);
        foreach (var (source, entries) in _sources)
            Assert.Equal(entries.Select(entry => entry.ToString()), found[source]);
        RequireSameFields(reader);
    }

    private void RequireSameFields(SearchReader reader)
    {
        foreach (var field in reader.Fields)
        {
            var having = _sources
                .Values.SelectMany(entries => entries)
                .Where(entry => entry.Values.Any(pair => pair.Field == field.Name))
                .ToList();
            Assert.Equal(having.Count, field.EntryCount);
            Assert.Equal(Fields[field.Name], field.Options);
            Assert.Equal(having.Sum(entry => entry.LengthOf(field.Name)), field.TotalLength);
            if (having.Any(entry => entry.TermsOf(field.Name).Distinct().Count() > 1))
                Assert.True(field.HasSeveralValues);
        }
    }

    private static string Describe(SearchReader reader, long id) =>
        ModelEntry.Describe(reader.TermsOf(id).Select(pair => (pair.Key, pair.Value)), reader.Stored(id));

    private static void Add(EntryBatch batch, ushort field, ModelValue value)
    {
        switch (value)
        {
            case ModelValue.Text text:
                batch.AddText(field, Encoding.UTF8.GetBytes(text.Value));
                break;
            case ModelValue.Number number:
                batch.AddNumber(field, NumberOf(number.Value));
                break;
            case ModelValue.Fraction fraction:
                batch.AddNumber(field, new SearchNumber(fraction.Value));
                break;
            case ModelValue.Null:
                batch.AddNull(field);
                break;
            default:
                batch.AddEmptyArray(field);
                break;
        }
    }

    private static SearchNumber NumberOf(long value)
    {
        double nearest = value;
        return new SearchNumber(nearest, (short)((Int128)value - (Int128)nearest));
    }
}

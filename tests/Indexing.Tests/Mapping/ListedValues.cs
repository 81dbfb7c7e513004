using System.Text;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Search;

namespace Jackdaw.Indexing.Tests.Mapping;

/// <summary>The values of one entry, by the names of their fields.</summary>
internal sealed class ListedValues : IEntryWriter
{
    private readonly List<string> _names = [];
    private readonly List<List<string>> _values = [];

    /// <summary>The values of a field, in the order in which they were added.</summary>
    public IReadOnlyList<string> this[string name] => _values[_names.IndexOf(name)];

    public static string OfText(string text) => $"\"{text}\"";

    public static string OfNumber(SearchNumber number) => FormattableString.Invariant($"{number.Value:R} {number.Remainder}");

    public static string Null => "null";

    public static string EmptyArray => "[]";

    public ushort Field(string name, FieldOptions options)
    {
        _names.Add(name);
        _values.Add([]);
        return (ushort)(_names.Count - 1);
    }

    public void BeginEntry() { }

    public void AddText(ushort field, ReadOnlySpan<byte> utf8) => _values[field].Add(OfText(Encoding.UTF8.GetString(utf8)));

    public void AddNumber(ushort field, SearchNumber number) => _values[field].Add(OfNumber(number));

    public void AddNull(ushort field) => _values[field].Add(Null);

    public void AddEmptyArray(ushort field) => _values[field].Add(EmptyArray);
}

using System.Text;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Search.Fields;

/// <summary>
/// The ids of an index's fields, in memory: those that the index has, and those that batches under way have asked for, which keep their id
/// while the index is open, written or not. Thread-safe.
/// </summary>
internal sealed class FieldDirectory
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, KnownField> _byName = new(StringComparer.Ordinal);
    private readonly List<KnownField> _all = [];
    private int _nextId = 1;

    public FieldDirectory(PageTransaction transaction)
    {
        var known = new SortedDictionary<ushort, KnownField>();
        using var cursor = transaction.Catalog.OpenTree(StructureNames.Fields).OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
        {
            var record = FieldRecord.Read(cursor.Value);
            string name = Encoding.UTF8.GetString(cursor.Key);
            if (record.Id == 0 || !known.TryAdd(record.Id, new KnownField(name, record.Id, record.Options)))
                throw new SearchFormatException($"The index has the field id {record.Id} twice. Build the index again.");
        }
        foreach (var field in known.Values)
        {
            _byName.Add(field.Name, field);
            _all.Add(field);
            _nextId = field.Id + 1;
        }
    }

    /// <summary>The field of that name, made with these options where there is none.</summary>
    public KnownField Get(string name, FieldOptions options)
    {
        lock (_gate)
        {
            if (_byName.TryGetValue(name, out var known))
                return known;
            if (string.IsNullOrEmpty(name) || Encoding.UTF8.GetByteCount(name) > SearchLimits.MaxFieldNameBytes)
                throw new SearchQueryException(
                    $"The field name '{Shortened(name)}' has {Encoding.UTF8.GetByteCount(name ?? "")} bytes; a name has from 1 to "
                        + $"{SearchLimits.MaxFieldNameBytes} (SearchLimits.MaxFieldNameBytes)."
                );
            if (_nextId > SearchLimits.MaxFields)
                throw new SearchQueryException(
                    $"The field '{Shortened(name)}' is one too many: an index has {SearchLimits.MaxFields} (SearchLimits.MaxFields)."
                );
            // Positions come with frequencies: a posting has as many positions as its frequency says.
            var kept = options with
            {
                KeepsFrequencies = options.KeepsFrequencies || options.KeepsPositions,
            };
            known = new KnownField(name, (ushort)_nextId++, kept);
            _byName.Add(name, known);
            _all.Add(known);
            return known;
        }
    }

    /// <summary>The field of an id that <see cref="Get"/> has handed out.</summary>
    public KnownField Of(ushort id)
    {
        lock (_gate)
        {
            // Ids ascend in the list; there are gaps where a field was asked for and never written before the index was closed.
            int low = 0;
            int high = _all.Count - 1;
            while (low < high)
            {
                int middle = (low + high) >> 1;
                if (_all[middle].Id < id)
                    low = middle + 1;
                else
                    high = middle;
            }
            Invariant.Require(low < _all.Count && _all[low].Id == id, "there is no field of this id");
            return _all[low];
        }
    }

    private static string Shortened(string? name) => name is { Length: > 60 } ? name[..60] + "…" : name ?? "";
}

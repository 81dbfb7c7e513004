using System.Text;
using Jackdaw.Indexing.Contents;
using Jackdaw.Search;
using Jackdaw.Search.Reading;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>
/// In place of the search engine: the values of each source as text, in the index's own environment, so that commits, roll backs and
/// recovery are the real ones.
/// </summary>
internal sealed class RecordedContent(StorageEnvironment storage) : IIndexContent
{
    private const string SourcesTree = "sources";
    private const string StatesTree = "states";

    public IIndexBatch BeginBatch() => new Batch();

    public IIndexContentReader OpenRead(string purpose) => new Reader(storage.BeginRead(purpose));

    public static IIndexContent Open(StorageEnvironment storage, Guid instanceId) => new RecordedContent(storage);

    /// <summary>The reader is of recorded content.</summary>
    public static bool IsRead(IIndexContentReader reader) => reader is Reader;

    /// <summary>What a reading holds: source keys, and their values as <c>field=value</c> lines.</summary>
    public static SortedDictionary<string, string> Sources(IIndexContentReader reader)
    {
        var sources = new SortedDictionary<string, string>(StringComparer.Ordinal);
        if (!((Reader)reader).Transaction.Catalog.TryOpenTree(SourcesTree, out var tree))
            return sources;
        using var cursor = tree.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
            sources.Add(Encoding.UTF8.GetString(cursor.Key), Encoding.UTF8.GetString(cursor.Value));
        return sources;
    }

    private sealed class Reader(ReadTransaction transaction) : IIndexContentReader
    {
        public ReadTransaction Transaction => transaction;

        public SearchReader Search => throw new InvalidOperationException("There is no search engine here.");

        public long TransactionId => transaction.Id;

        public long EntryCount => transaction.Catalog.TryOpenTree(SourcesTree, out var tree) ? tree.EntryCount : 0;

        public byte[]? State(string name) =>
            transaction.Catalog.TryOpenTree(StatesTree, out var tree) && tree.TryGet(Encoding.UTF8.GetBytes(name), out var value)
                ? value.ToArray()
                : null;

        public void Dispose() => transaction.Dispose();
    }

    internal sealed class Batch : IIndexBatch
    {
        private readonly List<string> _fields = [];
        private readonly Dictionary<string, StringBuilder?> _sources = [];
        private readonly Dictionary<string, byte[]> _states = [];
        private string _source = "";
        private StringBuilder? _former;
        private bool _hadFormer;

        public long Bytes { get; private set; }

        public ushort Field(string name, FieldOptions options)
        {
            if (!_fields.Contains(name))
                _fields.Add(name);
            return (ushort)_fields.IndexOf(name);
        }

        public void BeginSource(ReadOnlySpan<byte> sourceKey)
        {
            _source = Encoding.UTF8.GetString(sourceKey);
            _hadFormer = _sources.TryGetValue(_source, out _former);
            _sources[_source] = new StringBuilder();
            Bytes += 100;
        }

        public void DeleteSource(ReadOnlySpan<byte> sourceKey)
        {
            _sources[Encoding.UTF8.GetString(sourceKey)] = null;
            Bytes += 50;
        }

        public void AbandonSource()
        {
            if (_hadFormer)
                _sources[_source] = _former;
            else
                _sources.Remove(_source);
        }

        public void BeginEntry() { }

        public void AddText(ushort field, ReadOnlySpan<byte> utf8) => Add(field, "\"" + Encoding.UTF8.GetString(utf8) + "\"");

        public void AddNumber(ushort field, SearchNumber number) =>
            Add(
                field,
                number.Remainder == 0
                    ? FormattableString.Invariant($"{number.Value:R}")
                    : FormattableString.Invariant($"{number.Value:R}{number.Remainder:+0;-0}")
            );

        public void AddNull(ushort field) => Add(field, "null");

        public void AddEmptyArray(ushort field) => Add(field, "[]");

        public void SetState(string name, ReadOnlySpan<byte> value) => _states[name] = value.ToArray();

        public void Apply(WriteTransaction transaction)
        {
            var sources = transaction.Catalog.OpenTree(SourcesTree);
            foreach (var (key, text) in _sources.OrderBy(source => source.Key, StringComparer.Ordinal))
            {
                if (text is null)
                    sources.Delete(Encoding.UTF8.GetBytes(key));
                else
                    sources.Put(Encoding.UTF8.GetBytes(key), Encoding.UTF8.GetBytes(text.ToString()));
            }
            var states = transaction.Catalog.OpenTree(StatesTree);
            foreach (var (name, value) in _states)
                states.Put(Encoding.UTF8.GetBytes(name), value);
            _sources.Clear();
            Bytes = 0;
        }

        public void Dispose() { }

        /// <summary>The values of the source that was begun last.</summary>
        public string Text => _sources[_source]!.ToString();

        private void Add(ushort field, string value)
        {
            _sources[_source]!.Append(_fields[field]).Append('=').Append(value).Append('\n');
            Bytes += 20 + value.Length;
        }
    }
}

using Jackdaw.Search.Postings;
using Jackdaw.Search.Queries;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Matching;

/// <summary>One query under way: what it looks at, and when it is to end.</summary>
internal sealed class QueryRun(IndexView view, CancellationToken cancellation) : IDisposable
{
    private readonly List<PostingReader> _readers = [];
    private readonly Stack<PostingReader> _free = [];
    private readonly List<TermKeys> _keys = [];
    private readonly List<PositionReader> _positions = [];

    public IndexView View => view;

    /// <summary>Bytes of terms that patterns were tested on, and steps of tests that take more.</summary>
    public long PatternWork { get; private set; }

    /// <summary>To be called at least each block.</summary>
    public void Check() => cancellation.ThrowIfCancellationRequested();

    public void AddPatternWork(long work)
    {
        PatternWork += work;
        if (PatternWork > SearchQueryLimits.MaxPatternWork)
            throw new SearchQueryException(
                $"The query's wildcards and regular expressions took {PatternWork} steps over the terms of their fields; the limit is "
                    + $"{SearchQueryLimits.MaxPatternWork} (SearchQueryLimits.MaxPatternWork). Begin patterns with literal text."
            );
    }

    /// <summary>A reader of postings, the run's own; <see cref="Return"/> gives it back for others.</summary>
    public PostingReader Rent()
    {
        if (_free.TryPop(out var reader))
            return reader;
        _readers.Add(reader = new PostingReader());
        return reader;
    }

    /// <summary>Room for keys of terms, as long as the run.</summary>
    public TermKeys KeysOf(FieldView field)
    {
        var keys = new TermKeys(field);
        _keys.Add(keys);
        return keys;
    }

    /// <summary>A reader of a term's positions, as long as the run.</summary>
    public PositionReader PositionsOf(BTree dictionary, ReadOnlySpan<byte> record)
    {
        if (_positions.Count == SearchQueryLimits.MaxWordsOfPhrases)
            throw new SearchQueryException(
                $"The query's phrases have more than {SearchQueryLimits.MaxWordsOfPhrases} words together "
                    + "(SearchQueryLimits.MaxWordsOfPhrases). Ask for them in several queries."
            );
        var reader = new PositionReader(dictionary, record);
        _positions.Add(reader);
        return reader;
    }

    public void Return(PostingReader reader) => _free.Push(reader);

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (var reader in _readers)
            reader.Dispose();
        foreach (var reader in _positions)
            reader.Dispose();
        foreach (var keys in _keys)
            keys.Dispose();
        _positions.Clear();
        _keys.Clear();
        _readers.Clear();
        _free.Clear();
    }
}

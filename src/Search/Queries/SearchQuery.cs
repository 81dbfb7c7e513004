namespace Jackdaw.Search.Queries;

/// <summary>
/// What entries are looked for: a tree of conditions. Immutable. A field that the index does not have matches nothing (and
/// <see cref="Not"/> of it everything). Texts are analyzed as the field's analyzer does, except in <see cref="Regex"/>.
/// </summary>
public abstract record SearchQuery
{
    private SearchQuery() { }

    /// <summary>Every entry.</summary>
    public sealed record All : SearchQuery;

    /// <summary>No entry.</summary>
    public sealed record None : SearchQuery;

    /// <summary>Entries with the value among those of the field.</summary>
    public sealed record Term(string Field, SearchValue Value) : SearchQuery;

    /// <summary>Entries with one of the values, or, where <paramref name="IsAll"/>, with each of them.</summary>
    public sealed record In(string Field, IReadOnlyList<SearchValue> Values, bool IsAll = false) : SearchQuery;

    /// <summary>Entries with a text term that begins so.</summary>
    public sealed record Prefix(string Field, string Text) : SearchQuery;

    /// <summary>Entries with a text term that ends so. Walks the field's terms.</summary>
    public sealed record Suffix(string Field, string Text) : SearchQuery;

    /// <summary>Entries with a text term that contains it. Walks the field's terms.</summary>
    public sealed record Contains(string Field, string Text) : SearchQuery;

    /// <summary>Entries with a text term that fits: <c>*</c> any characters, <c>?</c> one. Seeks by what stands before the first of
    /// them.</summary>
    public sealed record Wildcard(string Field, string Pattern) : SearchQuery;

    /// <summary>Entries with a text term that a regular expression finds anything in. Seeks by its literal prefix where it is anchored.
    /// Errors: a <see cref="SearchQueryException"/> for an expression that is malformed or cannot run in linear time.</summary>
    public sealed record Regex(string Field, string Pattern) : SearchQuery;

    /// <summary>Entries with a value between two ends of one kind: numbers among numbers, texts among texts in the order of their bytes.
    /// Null is an open end; both null: any number or text.</summary>
    public sealed record Range(string Field, SearchValue? From, bool IncludesFrom, SearchValue? To, bool IncludesTo) : SearchQuery;

    /// <summary>Entries that have the field, whatever its value (null and an empty array too).</summary>
    public sealed record Exists(string Field) : SearchQuery;

    /// <summary>Entries with the words that the field's analyzer makes of a text, and with <see cref="Phrases"/>: any of them, or, where
    /// <paramref name="IsAll"/>, each. A word may begin or end with <c>*</c>. Without any word, nothing matches.</summary>
    public sealed record Words(string Field, string Text, bool IsAll = false) : SearchQuery
    {
        /// <summary>
        /// Texts whose words stand one behind the other, in one value of the field. A word that the analyzer leaves out stands for any one
        /// word inside a phrase, and for nothing at its ends. A star is a sign like others. Errors: a <see cref="SearchQueryException"/>
        /// where the field keeps no positions, and for a phrase of more than <see cref="SearchQueryLimits.MaxPhraseWords"/> words.
        /// </summary>
        public IReadOnlyList<string> Phrases { get; init; } = [];
    }

    /// <summary>Entries that fit all. None given: every entry.</summary>
    public sealed record And(IReadOnlyList<SearchQuery> Of) : SearchQuery;

    /// <summary>Entries that fit any. None given: no entry.</summary>
    public sealed record Or(IReadOnlyList<SearchQuery> Of) : SearchQuery;

    /// <summary>Entries that do not fit.</summary>
    public sealed record Not(SearchQuery Of) : SearchQuery;
}

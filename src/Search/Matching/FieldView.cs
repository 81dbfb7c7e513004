using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Fields;
using Jackdaw.Search.Postings;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Matching;

/// <summary>A field in one transaction.</summary>
internal sealed class FieldView(PageTransaction transaction, string name, FieldRecord record)
{
    private readonly KnownField _known = new(name, record.Id, record.Options);

    public KnownField Known => _known;

    public string Name => name;

    /// <summary>Some entry had several values: terms of the field do not exclude each other.</summary>
    public bool HasSeveralValues => record.HasSeveralValues;

    /// <summary>Marks and text terms.</summary>
    public BTree Texts => transaction.Catalog.OpenTree(_known.TextsName, TermRecord.TreeOptions);

    /// <summary>Numbers.</summary>
    public BTree Numbers => transaction.Catalog.OpenTree(_known.NumbersName, TermRecord.TreeOptions);

    /// <summary>Term numbers to the keys of text terms.</summary>
    public BTree TermNames => transaction.Catalog.OpenTree(_known.TermNamesName);

    /// <summary>The column; empty where the field is not sortable.</summary>
    public BTree Column => transaction.Catalog.OpenTree(_known.ColumnName);

    public bool IsSortable => _known.Options.IsSortable;

    /// <summary>Has it a term that is a number?</summary>
    public bool HasNumbers => Numbers.EntryCount > 0;

    /// <summary>Has it a text term, not counting marks?</summary>
    public bool HasTexts => Texts.EntryCount > Texts.Rank(TextKey.First);

    /// <summary>Has it a text term too long to be kept whole?</summary>
    public bool HasCutTexts => Texts.EntryCount > Texts.Rank(TextKey.FirstCut);
}

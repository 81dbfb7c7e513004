namespace Jackdaw.Indexing.Rql.Syntax;

internal enum RqlSourceKind
{
    Collection,
    AllDocuments,
    Index,
}

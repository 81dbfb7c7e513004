namespace Jackdaw.Indexing.Rql.Syntax;

internal enum RqlOrderingType
{
    Unspecified,
    Text,
    Long,
    Double,
    AlphaNumeric,
}

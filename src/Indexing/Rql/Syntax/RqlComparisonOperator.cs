namespace Jackdaw.Indexing.Rql.Syntax;

internal enum RqlComparisonOperator
{
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

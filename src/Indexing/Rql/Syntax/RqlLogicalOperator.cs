namespace Jackdaw.Indexing.Rql.Syntax;

internal enum RqlLogicalOperator
{
    Or,
    And,
}

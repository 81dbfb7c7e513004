namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>A bare <c>and</c> or <c>or</c> as an argument: <c>search(name, $terms, and)</c>.</summary>
internal sealed record RqlOperatorArgument(RqlLogicalOperator Operator) : RqlExpression;

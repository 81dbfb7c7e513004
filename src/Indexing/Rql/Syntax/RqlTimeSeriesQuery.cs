namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary><c>timeseries(from … )</c>: a time-series query, kept as the text between the parentheses.</summary>
internal sealed record RqlTimeSeriesQuery(string Text) : RqlExpression;

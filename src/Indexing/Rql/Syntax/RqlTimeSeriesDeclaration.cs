namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary><c>declare timeseries name(a, b) { from … }</c>: a time-series query, kept as text.</summary>
internal sealed record RqlTimeSeriesDeclaration(string Name, string Parameters, RqlScript Body) : RqlDeclaration(Name, Parameters, Body);

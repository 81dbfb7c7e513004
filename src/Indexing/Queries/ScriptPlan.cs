namespace Jackdaw.Indexing.Queries;

/// <summary>A projection in JavaScript.</summary>
/// <param name="Source">The body of a function that returns the projected object. Declared functions and an object literal stand where they
/// stand in the query, so that places in it are places in the query.</param>
/// <param name="Parameters">The names that it uses: of the document, of what is loaded, of the query's parameters (with <c>$</c>).</param>
/// <param name="Arguments">A JSON object with the query's parameters that it uses.</param>
/// <param name="Scope">A JSON object: <c>alias</c>, the name of the document, and <c>loads</c>, what is loaded for each document.</param>
public sealed record ScriptPlan(string Source, IReadOnlyList<string> Parameters, ReadOnlyMemory<byte> Arguments, ReadOnlyMemory<byte> Scope)
{
    /// <summary>What the projection gives back is assigned to this name.</summary>
    internal const string Result = "__r";
}

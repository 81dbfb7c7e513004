using Jackdaw.Scripting.Errors;

namespace Jackdaw.Indexing.Running;

/// <summary>The JavaScript of a query does not compile, or failed for a document.</summary>
public sealed class QueryScriptException(string message, ScriptException inner) : Exception(message, inner);

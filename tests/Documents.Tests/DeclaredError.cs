using Jackdaw.Documents.Errors;

namespace Jackdaw.Documents.Tests;

/// <summary>A declared operation error, made by a test.</summary>
internal sealed class DeclaredError(string message) : OperationException(message);

namespace Jackdaw.Documents.Errors;

/// <summary>An append of events, or a deletion of them, breaks a rule of event streams; the message names the place and the rule.</summary>
public sealed class InvalidAppendException(string message) : OperationException(message);

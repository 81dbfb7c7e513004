namespace Jackdaw.Documents.Errors;

/// <summary>A snapshot, or a deletion of snapshots, breaks a rule of snapshots; the message names the part and the rule.</summary>
public sealed class InvalidSnapshotException(string message) : OperationException(message);

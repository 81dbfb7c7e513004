using Jackdaw.Server.Errors;

namespace Jackdaw.Server.Operations;

/// <summary>A moment of an operation. <paramref name="Error"/> is set when it faulted.</summary>
internal sealed record OperationState(OperationStatus Status, OperationProgress Progress, ErrorAnswer? Error);

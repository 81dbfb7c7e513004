using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Operations;

/// <summary>A moment of an operation. <paramref name="Error"/> is set when it faulted.</summary>
internal sealed record OperationState(OperationStatus Status, OperationProgress Progress, ErrorAnswer? Error);

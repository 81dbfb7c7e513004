namespace Jackdaw.Server.Endpoints.Operations;

/// <summary>Where an operation is in its life; the names go over the wire.</summary>
internal enum OperationStatus
{
    InProgress,
    Completed,
    Faulted,
    Canceled,
}

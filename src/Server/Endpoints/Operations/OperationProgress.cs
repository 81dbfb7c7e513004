using System.Text.Json;

namespace Jackdaw.Server.Endpoints.Operations;

/// <summary>How far an operation is: what is counted here is durable.</summary>
internal abstract record OperationProgress(long DocumentsProcessed)
{
    /// <summary>Writes the progress as an object of the protocol.</summary>
    public abstract void Write(Utf8JsonWriter json);

    /// <summary>Writes it as the result of a completed operation.</summary>
    public virtual void WriteResult(Utf8JsonWriter json) => Write(json);
}

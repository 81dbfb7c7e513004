using System.Text.Json;

namespace Jackdaw.Server.Endpoints.Operations;

/// <summary>The state of an operation as the protocol has it, in answers and in notifications.</summary>
internal static class OperationStateJson
{
    /// <summary>Writes a state as an object.</summary>
    public static void Write(Utf8JsonWriter json, OperationState state)
    {
        json.WriteStartObject();
        json.WriteString("Status", state.Status.ToString());
        json.WritePropertyName("Progress");
        state.Progress.Write(json);
        if (state.Error is { } error)
        {
            json.WriteStartObject("Result");
            json.WriteString("Type", error.Type);
            json.WriteString("Message", error.Message);
            json.WriteString("Error", $"{error.Type}: {error.Message}");
            json.WriteNumber("StatusCode", error.Status);
            json.WriteEndObject();
        }
        else if (state.Status == OperationStatus.Completed)
        {
            json.WritePropertyName("Result");
            state.Progress.WriteResult(json);
        }
        else
            json.WriteNull("Result");
        json.WriteEndObject();
    }
}

using System.Text.Json.Nodes;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Documents;
using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.FaultyFunctions;

/// <summary>Fails in the way that the document's member <c>Fault</c> names; once only where <c>Marks</c> names a file, which then
/// remembers.</summary>
internal sealed class FaultyProjection : IDocumentProjection
{
    public Consumer Consumer { get; } = new("faulty", version: 1);

    public string Collection => "Faulty";

    public string IdOf(string documentId) => $"faulty/{documentId}";

    public JsonObject? Project(CloudEvent message)
    {
        if (!IsPast(message))
            Fail(message.Data.GetProperty("Fault").GetString());
        return new JsonObject { ["Document"] = message.Subject };
    }

    private static bool IsPast(CloudEvent message)
    {
        if (!message.Data.TryGetProperty("Marks", out var file))
            return false;
        if (File.Exists(file.GetString()))
            return true;
        File.WriteAllText(file.GetString()!, "");
        return false;
    }

    private static void Fail(string? fault)
    {
        switch (fault)
        {
            case "hang":
                Thread.Sleep(Timeout.Infinite);
                return;
            case "end":
                Environment.FailFast("The projection ends the process.");
                return;
            case "mistake":
                throw new InvalidOperationException("The projection has a mistake.");
            case "memory":
                throw new InsufficientMemoryException("There is no memory just now.");
            case "network":
                throw new IOException("Another server does not answer just now.");
        }
    }
}

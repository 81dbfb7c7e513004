using System.Text.Json.Nodes;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.Functions.Handlers.Documents;

/// <summary>What becomes of one source document: one document of the read model. Pure: the same message gives the same result.</summary>
public interface IDocumentProjection
{
    /// <summary>Who consumes.</summary>
    Consumer Consumer { get; }

    /// <summary>Of the read model's documents.</summary>
    string Collection { get; }

    /// <summary>The read model's document for a source document; equal for ids that differ in casing only.</summary>
    string IdOf(string documentId);

    /// <summary>Returns the members of the read model's document; null when the source has no place in it. Throws
    /// <see cref="MessageFaultException"/> for data that it cannot understand. What else it throws makes the message a dead letter, too,
    /// but for exceptions of networks, timeouts and lacking memory: those are waited out.</summary>
    JsonObject? Project(CloudEvent message);
}

using System.Text.Json.Nodes;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Messages;
using Jackdaw.Functions.Handlers.Storing;

namespace Jackdaw.Functions.Handlers.Streams;

/// <summary>What becomes of one event stream: one document of the read model, which holds the state after the last event. Pure.</summary>
public interface IStreamProjection
{
    /// <summary>Who consumes.</summary>
    Consumer Consumer { get; }

    /// <summary>Of the read model's documents.</summary>
    string Collection { get; }

    /// <summary>The read model's document for a stream. Ids of documents ignore case: use <see cref="Consumer.Hash"/>.</summary>
    string IdOf(string stream);

    /// <summary>The state before the first event.</summary>
    JsonObject Begin(string stream);

    /// <summary>Applies one event to the state, and returns what is to happen outside. Throws <see cref="MessageFaultException"/> for an
    /// event that it cannot understand: nothing of the stream is applied from there on.</summary>
    /// <param name="state">Changed in place.</param>
    /// <param name="one">The event.</param>
    /// <param name="eventId">Of the event, the same in every copy of the source: ids of effects begin with it.</param>
    IEnumerable<Effect> Apply(JsonObject state, SourceEvent one, string eventId);
}

using System.Text.Json.Nodes;
using Jackdaw.Functions.Handlers.Storing;

namespace Jackdaw.Functions.Handlers.Consuming;

/// <summary>
/// Something that is to happen outside: a document of the outbox, in the batch of the change that causes it. The server's webhook task
/// over the collection <see cref="Collection"/> sends it.
/// </summary>
/// <param name="Id">The CloudEvent's id. Made from the source event alone, so that an effect has the same id whenever it is made.</param>
/// <param name="Source">The CloudEvent's source, likewise.</param>
/// <param name="Type">The CloudEvent's type.</param>
/// <param name="Subject">The CloudEvent's subject.</param>
/// <param name="Data">The CloudEvent's data.</param>
public sealed record Effect(string Id, string Source, string Type, string Subject, JsonObject Data)
{
    /// <summary>Of the outbox's documents.</summary>
    public const string Collection = "Outbox";

    /// <summary>The script of the task that sends the outbox: receivers get one <c>webhook-id</c> for one effect.</summary>
    public const string Script =
        "loadToEffects(this.Data, { Id: this.EventId, Source: this.EventSource, Type: this.EventType, Subject: this.EventSubject });";

    internal void AddTo(Batch batch) =>
        batch.Put(
            $"outbox/{Consumer.Hash($"{Source}\n{Id}")}",
            Collection,
            new JsonObject
            {
                ["EventId"] = Id,
                ["EventSource"] = Source,
                ["EventType"] = Type,
                ["EventSubject"] = Subject,
                [nameof(Data)] = Data.DeepClone(),
            }
        );
}

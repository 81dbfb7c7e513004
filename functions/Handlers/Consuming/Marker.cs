using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Functions.Handlers.Storing;

namespace Jackdaw.Functions.Handlers.Consuming;

/// <summary>
/// What a consumer has seen of one source: a document of the read model, changed in the same batch as the effects. It never expires and
/// outlives the source: a late message must find it.
/// </summary>
/// <param name="Source">The document id or stream id, for people.</param>
/// <param name="DatabaseId">Whose etag it is.</param>
/// <param name="Etag">Of the last change that was applied.</param>
/// <param name="Number">Of the last event that was applied; 0 for documents.</param>
/// <param name="MessageId">Of the message that was applied; empty for streams.</param>
/// <param name="IsDeleted">The change was a deletion.</param>
internal sealed record Marker(string Source, string DatabaseId, long Etag, long Number, string MessageId, bool IsDeleted)
{
    public const string Collection = "FunctionMarkers";

    /// <summary>Reads the marker of a source. Throws <see cref="InfrastructureException"/> where something else was put in its place:
    /// whoever did so may mend it.</summary>
    public static Marker Read(string id, StoredDocument stored)
    {
        try
        {
            return stored.Members.Deserialize<Marker>(Answers.Options)!;
        }
        catch (JsonException e)
        {
            throw new InfrastructureException(
                $"The document '{id}' of the read model is no marker; restore it, or delete it with what the handlers made of its source: "
                    + e.Message,
                e
            );
        }
    }

    /// <summary>Stores it only while the former one is as it was read.</summary>
    public void AddTo(Batch batch, string id, StoredDocument? former) =>
        batch.PutIfUnchanged(
            id,
            Collection,
            new JsonObject
            {
                [nameof(Source)] = Source,
                [nameof(DatabaseId)] = DatabaseId,
                [nameof(Etag)] = Etag,
                [nameof(Number)] = Number,
                [nameof(MessageId)] = MessageId,
                [nameof(IsDeleted)] = IsDeleted,
            },
            former
        );
}

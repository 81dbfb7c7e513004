using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Transforming;

namespace Jackdaw.Etl.Running;

/// <summary>
/// Makes batches of dead letters: runs the current script on the current document, within one read transaction that ends before
/// it returns. The rule for what is sent,
/// superseded or left is in docs/etl.md, "Retrying dead letters".
/// </summary>
internal sealed class RetryReader(
    Database database,
    IReadOnlyList<TransformRun> transforms,
    EtlOptions options,
    RateLimits rate,
    bool allowsRoutingKeys
)
{
    private static readonly TimeSpan s_atOnce = TimeSpan.FromMilliseconds(100);

    /// <summary>The next dead letters of a request, of one transform; moves nothing but what it returns.</summary>
    public RetryPage Read(RetryRequest request)
    {
        var page = new RetryPage(request);
        var (documentsAllowed, messagesAllowed) = (rate.Documents, rate.Messages);
        TransformRunner? runner = null;
        long began = options.Clock.GetTimestamp();
        try
        {
            var (after, isEnd) = DeadLetterReader.Read(
                database,
                request.Filter,
                request.AfterEtag,
                request.UpToEtag,
                (reader, letter) =>
                {
                    var transform = transforms.FirstOrDefault(known =>
                        known.Configuration.Name.Equals(letter.Transform, StringComparison.OrdinalIgnoreCase)
                    );
                    bool isOfAnother = transform is not null && page.Transform is not null && transform != page.Transform;
                    if (
                        page.Letters > 0
                        && (
                            isOfAnother || IsFull(page, began) || page.Sending >= documentsAllowed || page.Messages.Count >= messagesAllowed
                        )
                    )
                        return false;
                    page.Letters++;
                    if (letter.State == DeadLetterState.Superseded && !request.AsStored)
                        return true;
                    if (transform is null)
                    {
                        Fail(page, letter, $"The task has no enabled transform named '{letter.Transform}'.");
                        return true;
                    }
                    page.Transform ??= transform;
                    if (request.AsStored)
                    {
                        SendAsStored(page, letter);
                        return true;
                    }
                    runner ??= new TransformRunner(transform.Script, reader, transform.Naming, options.Limits, allowsRoutingKeys);
                    Retry(page, letter, transform, reader, runner);
                    return true;
                }
            );
            page.AfterEtag = after;
            page.IsEnd = isEnd;
            rate.Take(page.Sending, page.Messages.Count);
            return page;
        }
        finally
        {
            runner?.Dispose();
        }
    }

    private bool IsFull(RetryPage page, long began) =>
        page.Letters >= options.Limits.MaxBatchDocuments
        || page.Messages.Count >= options.Limits.MaxBatchMessages
        || page.Bytes >= options.Limits.MaxBatchBytes
        || options.Clock.GetElapsedTime(began) > s_atOnce;

    private void SendAsStored(RetryPage page, StoredDeadLetter letter)
    {
        if (letter.Message is { } message)
            page.Send(letter, [message], []);
        else
            Fail(
                page,
                letter,
                letter.Number == 0
                    ? "There is nothing stored that could be sent: the script had failed."
                    : $"The message was not stored: its data has more than {EtlLimits.MaxDeadLetterPayloadBytes:N0} bytes."
            );
    }

    /// <summary>Whether the change still is the newest of its document decides whether it may be sent: never an older state after
    /// a newer one.</summary>
    private void Retry(RetryPage page, StoredDeadLetter letter, TransformRun transform, DocumentsReader reader, TransformRunner runner)
    {
        var origin = letter.Origin;
        if (WhySuperseded(reader, transform, origin) is { } why)
        {
            page.Replace(letter, letter.Superseded(why, options.Clock.GetUtcNow()), isSuperseded: true);
            return;
        }
        if (!IsCovered(transform, origin))
        {
            Fail(
                page,
                letter,
                $"The transform '{transform.Configuration.Name}' does not read "
                    + $"{(origin.IsDeletion ? "deletions of " : "")}the collection '{origin.Collection}' any more."
            );
            return;
        }
        string? failure = origin.IsDeletion ? runner.RunDeletion(origin) : RunOnDocument(reader, runner, origin);
        if (failure is not null)
        {
            Fail(page, letter, failure);
            return;
        }
        string[] targets = runner.Messages.Select(message => message.Target).ToArray();
        if (letter.Number == 0)
        {
            page.Send(letter, runner.Messages, targets);
            return;
        }
        // The others of the change were sent, or have dead letters of their own.
        if (runner.Messages.FirstOrDefault(message => message.Number == letter.Number) is { } same)
            page.Send(letter, [same], targets);
        else
            Fail(
                page,
                letter,
                $"The script now makes {runner.Messages.Count:N0} messages of the document, so there "
                    + $"is none with number {letter.Number}. Purge the dead letter, or retry it as stored."
            );
    }

    /// <summary>
    /// Null: it may be sent. A document of this id that moved to a collection which the transform does not read is gone to it.
    /// </summary>
    private static string? WhySuperseded(DocumentsReader reader, TransformRun transform, ChangeOrigin origin)
    {
        long position = transform.Position;
        bool Counts(string collection) =>
            collection.Equals(origin.Collection, StringComparison.OrdinalIgnoreCase) || transform.Configuration.Wants(collection);

        if (reader.TryGet(origin.DocumentId, out var document) && Counts(Encoding.UTF8.GetString(document.Collection)))
        {
            string changeVector = Encoding.UTF8.GetString(document.ChangeVector);
            if (origin.IsDeletion || changeVector != origin.ChangeVector)
                return changeVector;
            return document.Etag > position ? "The transform's position lies before the change, which is sent in the ordinary way." : null;
        }
        if (EventsRoom.IsEvents(origin.Collection) && origin.IsDeletion)
            // An event is deleted once, and nothing takes its place.
            return origin.Etag > position ? "The transform's position lies before the deletion, which is sent in the ordinary way." : null;
        bool isKnown = reader.TryGetNewestTombstone(origin.DocumentId, Counts, out var tombstone);
        if (!origin.IsDeletion)
            return isKnown ? Encoding.UTF8.GetString(tombstone.ChangeVector)
                : EventsRoom.IsEvents(origin.Collection) ? "The event is deleted."
                : "The document is deleted.";
        if (!isKnown)
            return null;
        string deletion = Encoding.UTF8.GetString(tombstone.ChangeVector);
        if (deletion != origin.ChangeVector)
            return deletion;
        return tombstone.Etag > position ? "The transform's position lies before the deletion, which is sent in the ordinary way." : null;
    }

    private static bool IsCovered(TransformRun transform, ChangeOrigin origin)
    {
        var configuration = transform.Configuration;
        if (origin.IsDeletion && !configuration.PublishDeletes)
            return false;
        return configuration.ApplyToAllDocuments
            ? !TransformConfiguration.IsSystemCollection(Encoding.UTF8.GetBytes(origin.Collection))
            : configuration.Collections.Contains(origin.Collection, StringComparer.OrdinalIgnoreCase);
    }

    private static string? RunOnDocument(DocumentsReader reader, TransformRunner runner, ChangeOrigin origin)
    {
        Storage.Invariant.Require(reader.TryGet(origin.DocumentId, out var document));
        return runner.Run(DocumentChange.Of(document), out _);
    }

    private void Fail(RetryPage page, StoredDeadLetter letter, string reason) =>
        page.Replace(letter, letter.FailedAgain(reason, options.Clock.GetUtcNow()), isSuperseded: false);
}

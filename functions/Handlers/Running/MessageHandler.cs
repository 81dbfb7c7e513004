using System.Net.Sockets;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Messages;
using Jackdaw.Functions.Handlers.Storing;

namespace Jackdaw.Functions.Handlers.Running;

/// <summary>
/// Handles messages of a queue until each is applied, ignored or a dead letter. A fault of the infrastructure is waited out here, so that
/// it uses up no try of the host. Thread-safe.
/// </summary>
/// <param name="consumer">What is done with a message.</param>
/// <param name="claimChecks">Fetches data that is not in the message.</param>
/// <param name="deadLetters">Where messages go that cannot be handled.</param>
/// <param name="options">Pauses and reports.</param>
public sealed class MessageHandler(IMessageConsumer consumer, IClaimChecks claimChecks, IDeadLetters deadLetters, HandlerOptions options)
{
    /// <summary>
    /// Returns when the message may be removed from its queue. Throws <see cref="OperationCanceledException"/> when the host stops; the
    /// message is then to be delivered again.
    /// </summary>
    /// <param name="body">A structured CloudEvent in UTF-8. Not changed meanwhile.</param>
    /// <param name="cancel">The host stops, or gives the message up.</param>
    public async Task<Outcome> HandleAsync(ReadOnlyMemory<byte> body, CancellationToken cancel)
    {
        string reason;
        try
        {
            return await UntilPossibleAsync(() => TryAsync(body, cancel), cancel);
        }
        catch (MessageFaultException fault)
        {
            reason = fault.Message;
        }
        catch (Exception fault) when (!cancel.IsCancellationRequested && !IsOfInfrastructure(fault))
        {
            // Of the projection, which is pure: it would throw again.
            reason = $"The handler failed: {fault}";
        }
        var letter = new DeadLetter(consumer.Consumer.ToString(), reason, body);
        await UntilPossibleAsync(
            async () =>
            {
                await deadLetters.PutAsync(letter, cancel);
                return true;
            },
            cancel
        );
        options.Buried?.Invoke(letter);
        return Outcome.DeadLettered;
    }

    /// <summary>
    /// Handles messages with few requests, as far as nothing is wrong. Returns the others, each to be handled by
    /// <see cref="HandleAsync"/>, in their order. Throws <see cref="OperationCanceledException"/> when the host stops.
    /// </summary>
    /// <param name="bodies">Structured CloudEvents in UTF-8. Not changed meanwhile.</param>
    /// <param name="cancel">The host stops, or gives the messages up.</param>
    public async Task<IReadOnlyList<ReadOnlyMemory<byte>>> HandleTogetherAsync(
        IReadOnlyList<ReadOnlyMemory<byte>> bodies,
        CancellationToken cancel
    )
    {
        ArgumentNullException.ThrowIfNull(bodies);
        if (consumer is not IBatchConsumer together || bodies.Count < 2)
            return bodies;
        var messages = new List<CloudEvent>(bodies.Count);
        var places = new List<int>(bodies.Count);
        for (var i = 0; i < bodies.Count; i++)
        {
            if (TryParse(bodies[i]) is not { DataRef: null } message)
                continue;
            messages.Add(message);
            places.Add(i);
        }
        try
        {
            var handled = await together.TryHandleAsync(messages, cancel);
            var done = places.Where((_, index) => handled[index]).ToHashSet();
            return [.. bodies.Where((_, place) => !done.Contains(place))];
        }
        catch (Exception fault) when (!cancel.IsCancellationRequested && IsOfInfrastructure(fault))
        {
            // It is waited out, and told, where each is handled by itself.
            return bodies;
        }
    }

    /// <summary>Null: it is no event, which is told where it is handled by itself.</summary>
    private static CloudEvent? TryParse(ReadOnlyMemory<byte> body)
    {
        try
        {
            return CloudEvent.Parse(body);
        }
        catch (MessageFaultException)
        {
            return null;
        }
    }

    private async Task<Outcome> TryAsync(ReadOnlyMemory<byte> body, CancellationToken cancel)
    {
        var message = CloudEvent.Parse(body);
        if (message.DataRef is { } dataRef)
        {
            try
            {
                message = message.With(await claimChecks.FetchAsync(dataRef, cancel));
            }
            catch (Exception e) when (e is not MessageFaultException && !cancel.IsCancellationRequested)
            {
                throw new InfrastructureException($"The data at {dataRef} cannot be fetched: {e.Message}", e);
            }
        }
        return await consumer.HandleAsync(message, cancel);
    }

    private async Task<T> UntilPossibleAsync<T>(Func<Task<T>> once, CancellationToken cancel)
    {
        for (var pause = options.FirstPause; ; pause = Doubled(pause))
        {
            cancel.ThrowIfCancellationRequested();
            TimeSpan wait;
            try
            {
                return await once();
            }
            catch (Exception fault) when (!cancel.IsCancellationRequested && IsOfInfrastructure(fault))
            {
                // Between half and all of it, so that handlers that failed together do not come back together.
                wait = pause * (0.5 + (Random.Shared.NextDouble() / 2));
                options.Waits?.Invoke(fault, wait);
            }
            await Task.Delay(wait, options.Clock, cancel);
        }
    }

    private TimeSpan Doubled(TimeSpan pause) => pause * 2 < options.LongestPause ? pause * 2 : options.LongestPause;

    /// <summary>Also what a projection throws: where it asks other servers, no message is to blame for them.</summary>
    private static bool IsOfInfrastructure(Exception fault) =>
        fault
            is InfrastructureException
                or ChangedMeanwhileException
                or HttpRequestException
                or IOException
                or SocketException
                or TimeoutException
                or OutOfMemoryException
                or OperationCanceledException;
}

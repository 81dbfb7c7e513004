using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;
using Jackdaw.Storage;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>
/// Publishes to RabbitMQ in one loop, with publisher confirms and <c>mandatory</c>. No gap; duplicates only after a crash, a lost
/// connection or a refusal, with the same
/// message id; order per exchange and routing key up to the first message that is sent again.
/// </summary>
internal sealed class RabbitMqSink : ISink, IConnectionTest
{
    /// <summary>Messages published and not settled. Fixed.</summary>
    public const int MaxOutstanding = 1000;

    /// <summary>Enough for the client to write more than a broker takes in that time.</summary>
    private static readonly TimeSpan s_breath = TimeSpan.FromMilliseconds(1);

    private readonly RabbitMqSettings _settings;
    private readonly RabbitMqOptions _options;
    private readonly RabbitMqAddress _address;
    private readonly string _name;
    private RabbitMqLink? _link;

    /// <summary>Messages that may be on the way at once: after a fault few, so that little is sent in vain to a broker that is
    /// still in trouble.</summary>
    private int _limit = MaxOutstanding;

    /// <summary>Messages that are sent one at a time, because one of them made the broker close the channel.</summary>
    private int _suspects;

    /// <summary>A connection was lost between two deliveries, with messages on their way.</summary>
    private bool _isAnythingLost;

    /// <param name="settings">Where the broker is. Throws what <see cref="RabbitMqSettings.Validate"/> throws.</param>
    /// <param name="options">What is declared there.</param>
    /// <param name="name">What the broker shows as the connection's name.</param>
    public RabbitMqSink(RabbitMqSettings settings, RabbitMqOptions options, string name)
    {
        settings.Validate();
        _settings = settings;
        _options = options;
        _address = settings.Address();
        _name = name;
    }

    /// <summary>A test's way to see what connections hold.</summary>
    public Func<RabbitMqSettings, RabbitMqTls>? LoadTls { get; init; }

    public bool AllowsRoutingKeys => true;

    public bool ReachesAhead => true;

    private int CurrentLimit => _suspects > 0 ? 1 : _limit;

    /// <summary>Keeps a connection that is only blocked, or was good: what it holds already is not sent twice then.</summary>
    public async Task OpenAsync(CancellationToken cancellation)
    {
        if (_link is { IsOpen: true })
        {
            ThrowIfBlocked(_link);
            return;
        }
        if (_link is { } lost)
        {
            Collect(lost);
            _isAnythingLost |= lost.Window.Unanswered().Count > 0 || lost.Window.RefusedCount > 0;
        }
        await DropLinkAsync().ConfigureAwait(false);
        _link = await RabbitMqLink.OpenAsync(_settings, _options, _name, MaxOutstanding, cancellation, LoadTls).ConfigureAwait(false);
    }

    public async Task DeliverAsync(Delivery delivery, CancellationToken cancellation)
    {
        Invariant.Require(_link is not null);
        var link = _link;
        if (_isAnythingLost)
        {
            _isAnythingLost = false;
            throw new SinkException(SinkFault.Sink, $"The connection to {_address} was lost, with messages on their way.");
        }
        try
        {
            await SettleAsync(link, delivery, cancellation).ConfigureAwait(false);
        }
        catch (TimeoutException e)
        {
            Collect(link);
            _limit = 1;
            await DropLinkAsync().ConfigureAwait(false);
            throw new SinkException(
                SinkFault.Sink,
                $"{_address} did not confirm anything within {_settings.Timeout.TotalSeconds:0.#} s.",
                e
            );
        }
        catch (SinkException)
        {
            _limit = 1;
            throw;
        }
        catch (OperationCanceledException)
        {
            // What is confirmed by now need not come again.
            Collect(link);
            throw;
        }
    }

    public async Task<string> TestAsync(CancellationToken cancellation)
    {
        await using var link = await RabbitMqLink.OpenAsync(_settings, _options, _name, capacity: 1, cancellation).ConfigureAwait(false);
        return $"{_address} is reached ({link.Product}), the virtual host is "
            + $"'{_address.VirtualHost}'. Nothing was declared and nothing sent.";
    }

    public ValueTask DisposeAsync() => DropLinkAsync();

    /// <summary>Until all of a delivery is settled; what follows it is published meanwhile.</summary>
    private async Task SettleAsync(RabbitMqLink link, Delivery delivery, CancellationToken cancellation)
    {
        var current = delivery;
        while (!delivery.AreAllSettled)
        {
            bool hasNext = HasNext(ref current);
            if (delivery.IsStopping && !(hasNext && current.IsWithinChange(current.Begun)))
            {
                await DrainAsync(link, cancellation).ConfigureAwait(false);
                return;
            }
            if (!hasNext)
            {
                int behind = link.Window.CountBehind(delivery);
                // What is on its way is there, or was refused.
                Invariant.Require(behind >= 0 || link.Window.RefusedCount > 0);
                await WaitAsync(link, Math.Max(behind, 0), current.Followed, cancellation).ConfigureAwait(false);
            }
            else if (HasRoom(link))
            {
                await PublishAsync(link, current, cancellation).ConfigureAwait(false);
            }
            else
            {
                // Not at every single answer: that would be two switches of threads a message. The broker has enough to do with
                // the other half.
                await WaitAsync(link, CurrentLimit / 2, link.Window.Trouble, cancellation).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Is there a message that is neither settled nor on its way, here or in what follows? Then it is that at
    /// <see cref="Delivery.Begun"/>.</summary>
    private static bool HasNext(ref Delivery current)
    {
        while (true)
        {
            while (current.Begun < current.Messages.Count)
            {
                if (!current.IsSettled(current.Begun))
                    return true;
                current.Begun++;
            }
            if (current.Next is not { } next)
                return false;
            current = next;
        }
    }

    private bool HasRoom(RabbitMqLink link) =>
        link.Window.Uncollected < CurrentLimit && link.Window.RefusedCount == 0 && !link.Window.Trouble.IsCompleted;

    /// <summary>Until all but so many of the last ones published are answered, or something else has ended; settles what is
    /// answered.</summary>
    private async Task WaitAsync(RabbitMqLink link, int span, Task orUntil, CancellationToken cancellation)
    {
        await link.Window.WaitAsync(span, throughRefusals: false, orUntil, _settings.Timeout, cancellation).ConfigureAwait(false);
        Collect(link);
        if (link.Window.RefusedCount > 0)
            await DrainAsync(link, cancellation).ConfigureAwait(false);
        await ThrowIfTroubledAsync(link).ConfigureAwait(false);
    }

    private async ValueTask PublishAsync(RabbitMqLink link, Delivery delivery, CancellationToken cancellation)
    {
        int index = delivery.Begun;
        var message = delivery.Messages[index];
        if (RabbitMqNames.Refusal(message, declares: !_options.SkipDeclaration) is { } refusal)
        {
            delivery.Begun++;
            delivery.Try(index);
            delivery.Reject(index, $"It cannot be published: {refusal}");
            return;
        }
        if (!link.Topology.Has(message))
            await DeclareAsync(link, message, cancellation).ConfigureAwait(false);
        delivery.Begun++;
        int attempt = delivery.Try(index);
        await WriteAsync(link, message, attempt, link.Window.Begin(delivery, index), cancellation).ConfigureAwait(false);
    }

    private async Task DeclareAsync(RabbitMqLink link, OutboundMessage message, CancellationToken cancellation)
    {
        try
        {
            await link.Topology.DeclareAsync(message, cancellation).ConfigureAwait(false);
        }
        catch (SinkException e) when (e.Fault == SinkFault.Task)
        {
            // The connection is as good as before: what is on the way gets its answers.
            await DrainAsync(link, cancellation).ConfigureAwait(false);
            throw;
        }
        catch (SinkException)
        {
            Collect(link);
            await DropLinkAsync().ConfigureAwait(false);
            throw;
        }
    }

    private async Task WriteAsync(RabbitMqLink link, OutboundMessage message, int attempt, ulong tag, CancellationToken cancellation)
    {
        try
        {
            var writing = link.PublishAsync(message, attempt, tag, _options.CloudEventsMode);
            if (writing.IsCompletedSuccessfully)
                return;
            // A broker that does not read stops the writing too. What is left of it ends with the link.
            var task = writing.AsTask();
            await Task.WhenAny(task, link.Window.Trouble).WaitAsync(_settings.Timeout, cancellation).ConfigureAwait(false);
            if (!task.IsCompleted)
                return;
            await task.ConfigureAwait(false);
            // The client's queue of frames was full. It is given time to write them: else each further message would wait for one
            // place in it, and cost two switches of threads.
            await Task.Delay(s_breath, cancellation).ConfigureAwait(false);
        }
        catch (Exception e) when (RabbitMqFaults.IsForeign(e) && e is not TimeoutException && !cancellation.IsCancellationRequested)
        {
            // Numbers of the client and of the window may differ from here on.
            await ThrowClosedAsync(link, e).ConfigureAwait(false);
        }
    }

    /// <summary>Until everything that was published is answered and settled.</summary>
    private async Task DrainAsync(RabbitMqLink link, CancellationToken cancellation)
    {
        do
        {
            await link
                .Window.WaitAsync(0, throughRefusals: true, link.Window.Trouble, _settings.Timeout, cancellation)
                .ConfigureAwait(false);
            Collect(link);
            await ThrowIfTroubledAsync(link).ConfigureAwait(false);
        } while (link.Window.Uncollected > 0);
        int refused = link.Window.RefusedCount;
        if (refused == 0)
            return;
        link.Window.ForgetRefusals();
        throw new SinkException(
            SinkFault.Sink,
            $"{_address} does not take messages now (it refused {refused:N0} with a nack: a queue has reached its limit, or cannot write)."
        );
    }

    private void Collect(RabbitMqLink link)
    {
        var (settled, anyReturned) = link.Window.Collect();
        _limit = Math.Min(MaxOutstanding, _limit + settled);
        _suspects = Math.Max(0, _suspects - settled);
        // What was declared is there no more.
        if (anyReturned)
            link.Topology.Forget();
    }

    private async Task ThrowIfTroubledAsync(RabbitMqLink link)
    {
        if (!link.Window.Trouble.IsCompleted)
            return;
        link.ThrowCallbackError();
        if (!link.IsOpen)
            await ThrowClosedAsync(link, null).ConfigureAwait(false);
        ThrowIfBlocked(link);
    }

    private void ThrowIfBlocked(RabbitMqLink link)
    {
        if (link.BlockedBecause is { } reason)
            throw new SinkException(SinkFault.Sink, $"{_address} has blocked whoever publishes: {reason}") { IsAllOnItsWay = true };
    }

    /// <summary>The link is closed. When one message alone was on the way, and the broker closed because of what it got, that
    /// message is the cause.</summary>
    private async Task ThrowClosedAsync(RabbitMqLink link, Exception? error)
    {
        Collect(link);
        var reason = link.Closing;
        var unanswered = link.Window.Unanswered();
        await DropLinkAsync().ConfigureAwait(false);
        if (RabbitMqFaults.IsOfMessage(reason))
        {
            if (unanswered.Count == 1)
            {
                var (delivery, index) = unanswered[0];
                delivery.Reject(index, $"RabbitMQ does not take it: {RabbitMqFaults.Words(reason!)}");
            }
            _suspects = unanswered.Count == 1 ? Math.Max(0, _suspects - 1) : unanswered.Count;
        }
        if (reason is null && error is not null)
            throw new SinkException(SinkFault.Sink, $"The connection to {_address} was lost: {error.Message}", error);
        throw RabbitMqFaults.OfClosing(reason, _address, declares: !_options.SkipDeclaration);
    }

    private async ValueTask DropLinkAsync()
    {
        var link = _link;
        _link = null;
        if (link is not null)
            await link.DisposeAsync().ConfigureAwait(false);
    }
}

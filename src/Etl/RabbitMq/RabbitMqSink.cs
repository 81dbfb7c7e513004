using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;
using Jackdaw.Storage;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>
/// Publishes to RabbitMQ in one loop, with publisher confirms and <c>mandatory</c>. No gap; duplicates only after a crash, a lost connection or a refusal, with the same
/// message id; order per exchange and routing key up to the first message that is sent again.
/// </summary>
internal sealed class RabbitMqSink : ISink, IConnectionTest
{
    /// <summary>Messages published and not settled. Fixed.</summary>
    public const int MaxOutstanding = 1000;

    private readonly RabbitMqSettings _settings;
    private readonly RabbitMqOptions _options;
    private readonly RabbitMqAddress _address;
    private readonly string _name;
    private RabbitMqLink? _link;

    /// <summary>Messages that may be on the way at once: after a fault few, so that little is sent in vain to a broker that is still in trouble.</summary>
    private int _limit = MaxOutstanding;

    /// <summary>Messages that are sent one at a time, because one of them made the broker close the channel.</summary>
    private int _suspects;

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

    public bool AllowsRoutingKeys => true;

    private int CurrentLimit => _suspects > 0 ? 1 : _limit;

    /// <summary>Keeps a connection that is only blocked: what it holds already is not sent twice then.</summary>
    public async Task OpenAsync(CancellationToken cancellation)
    {
        if (_link is { IsOpen: true })
        {
            ThrowIfBlocked(_link);
            return;
        }
        await DropLinkAsync().ConfigureAwait(false);
        _link = await RabbitMqLink.OpenAsync(_settings, _options, _name, MaxOutstanding, cancellation).ConfigureAwait(false);
    }

    public async Task DeliverAsync(Delivery delivery, CancellationToken cancellation)
    {
        Invariant.Require(_link is not null);
        var link = _link;
        try
        {
            await DrainAsync(link, cancellation).ConfigureAwait(false);
            await PublishAllAsync(link, delivery, cancellation).ConfigureAwait(false);
            await DrainAsync(link, cancellation).ConfigureAwait(false);
        }
        catch (TimeoutException e)
        {
            Collect(link);
            _limit = 1;
            await DropLinkAsync().ConfigureAwait(false);
            throw new SinkException(SinkFault.Sink, $"{_address} did not confirm anything within {_settings.Timeout.TotalSeconds:0.#} s.", e);
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
        return $"{_address} is reached ({link.Product}), the virtual host is '{_address.VirtualHost}'. Nothing was declared and nothing sent.";
    }

    public ValueTask DisposeAsync() => DropLinkAsync();

    private async Task PublishAllAsync(RabbitMqLink link, Delivery delivery, CancellationToken cancellation)
    {
        for (int i = 0; i < delivery.Messages.Count && !delivery.IsStopping; i++)
        {
            if (delivery.IsSettled(i))
                continue;
            var message = delivery.Messages[i];
            if (RabbitMqNames.Refusal(message, declares: !_options.SkipDeclaration) is { } refusal)
            {
                delivery.Try(i);
                delivery.Reject(i, $"It cannot be published: {refusal}");
                continue;
            }
            await MakeRoomAsync(link, cancellation).ConfigureAwait(false);
            if (!link.Topology.Has(message))
                await DeclareAsync(link, message, cancellation).ConfigureAwait(false);
            int attempt = delivery.Try(i);
            await WriteAsync(link, message, attempt, link.Window.Begin(delivery, i), cancellation).ConfigureAwait(false);
        }
    }

    /// <summary>Until another message may be published.</summary>
    private async Task MakeRoomAsync(RabbitMqLink link, CancellationToken cancellation)
    {
        while (link.Window.Uncollected is var uncollected && uncollected > 0 && uncollected >= CurrentLimit)
        {
            // Not at every single answer: that would be two switches of threads a message.
            await link.Window.WaitAsync(CurrentLimit * 3 / 4, throughRefusals: false, _settings.Timeout, cancellation).ConfigureAwait(false);
            Collect(link);
            if (link.Window.RefusedCount > 0)
                await DrainAsync(link, cancellation).ConfigureAwait(false);
            await ThrowIfTroubledAsync(link).ConfigureAwait(false);
        }
        if (link.Window.RefusedCount > 0)
            await DrainAsync(link, cancellation).ConfigureAwait(false);
        await ThrowIfTroubledAsync(link).ConfigureAwait(false);
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
            var writing = link.PublishAsync(message, attempt, tag);
            if (writing.IsCompletedSuccessfully)
                return;
            // A broker that does not read stops the writing too. What is left of it ends with the link.
            var task = writing.AsTask();
            await Task.WhenAny(task, link.Window.Trouble).WaitAsync(_settings.Timeout, cancellation).ConfigureAwait(false);
            if (task.IsCompleted)
                await task.ConfigureAwait(false);
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
            await link.Window.WaitAsync(0, throughRefusals: true, _settings.Timeout, cancellation).ConfigureAwait(false);
            Collect(link);
            await ThrowIfTroubledAsync(link).ConfigureAwait(false);
        }
        while (link.Window.Uncollected > 0);
        int refused = link.Window.RefusedCount;
        if (refused == 0)
            return;
        link.Window.ForgetRefusals();
        throw new SinkException(SinkFault.Sink, $"{_address} does not take messages now (it refused {refused:N0} with a nack: a queue has reached its limit, or cannot write).");
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
            throw new SinkException(SinkFault.Sink, $"{_address} has blocked whoever publishes: {reason}");
    }

    /// <summary>The link is closed. When one message alone was on the way, and the broker closed because of what it got, that message is the cause.</summary>
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

using System.Buffers;
using System.Xml;
using Azure;
using Azure.Storage.Queues;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;
using Jackdaw.Storage;

namespace Jackdaw.Etl.AzureQueues;

/// <summary>
/// Puts each message as a structured CloudEvent in Base64 into the queue of its target, several at a time, never two of one key.
/// No gap; duplicates only after a
/// crash, a lost connection or a time-out, with the same id; sent in order per key (receivers have no order: they compare the
/// event's <c>etag</c>).
/// </summary>
internal sealed class AzureQueueSink : ISink, IConnectionTest
{
    /// <summary>Azure's limit of a message's text.</summary>
    public const int MaxTextBytes = 64 << 10;

    /// <summary>Bytes of an event that fit into such a text in Base64.</summary>
    public const int MaxEventBytes = MaxTextBytes / 4 * 3;

    /// <summary>Times that a message finds no queue before its sink is said to be at fault.</summary>
    private const int MaxDeclarations = 3;

    /// <summary>The protocol's way to say never.</summary>
    private static readonly TimeSpan s_never = TimeSpan.FromSeconds(-1);

    private readonly AzureQueueSettings _settings;
    private readonly AzureAccount _account;
    private readonly ClaimCheck? _claimCheck;
    private readonly Lock _lock = new();
    private readonly Dictionary<string, QueueClient> _queues = new(StringComparer.Ordinal);
    private readonly Dictionary<string, Task> _declarations = new(StringComparer.Ordinal);

    /// <param name="settings">How to reach the account.</param>
    /// <param name="clock">Tells when a token ends.</param>
    /// <param name="handler">Sends the requests; null: over the network. The sink's own from now on.</param>
    /// <param name="targets">Where its endpoints may be; null: anywhere but where credentials are handed out.</param>
    /// <exception cref="Configuration.InvalidConfigurationException">The settings cannot be.</exception>
    public AzureQueueSink(
        AzureQueueSettings settings,
        TimeProvider clock,
        HttpMessageHandler? handler = null,
        HttpTargets.TargetAddresses? targets = null
    )
    {
        settings.Validate();
        _settings = settings;
        _account = new AzureAccount(settings, clock, handler, targets);
        if (settings.ClaimCheckContainer is { } container)
            _claimCheck = new ClaimCheck(_account.Blobs!.GetBlobContainerClient(container));
    }

    public bool AllowsRoutingKeys => false;

    /// <summary>There is no connection to be made before there is something to say; queues are declared where a message finds
    /// none.</summary>
    public Task OpenAsync(CancellationToken cancellation) => Task.CompletedTask;

    public Task DeliverAsync(Delivery delivery, CancellationToken cancellation)
    {
        _account.Pause.Forget();
        return KeyedWindow.RunAsync(delivery, _settings.MaxConcurrency, (message, attempt) => SendAsync(message, attempt, cancellation));
    }

    /// <summary>Lists at most one queue, and looks for the container of claim checks. A right to send only does not include that,
    /// which is told.</summary>
    public async Task<string> TestAsync(CancellationToken cancellation)
    {
        string account = _account.Queues.AccountName;
        bool mayList = await ListAsync(account, cancellation).ConfigureAwait(false);
        string found = mayList
            ? $"The queues of the account '{account}' are reached."
            : $"The account '{account}' is reached and knows the identity, which may not list queues; whether it may send is not known.";
        if (_claimCheck is null)
            return found + " Nothing was sent.";
        bool? isThere = null;
        await AskAsync(
                async token => isThere = await _claimCheck.ExistsAsync(token).ConfigureAwait(false),
                $"Looking for the blob container '{_settings.ClaimCheckContainer}'",
                _settings.Timeout,
                cancellation
            )
            .ConfigureAwait(false);
        if (isThere == false && _settings.SkipsDeclaration)
            throw new SinkException(SinkFault.Task, $"There is no blob container '{_settings.ClaimCheckContainer}'.");
        return $"{found} The blob container '{_settings.ClaimCheckContainer}' "
            + $"{(isThere == true ? "is there" : "will be created")}. Nothing was sent.";
    }

    public ValueTask DisposeAsync()
    {
        _account.Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>False when the account lets the identity in but not list.</summary>
    private async Task<bool> ListAsync(string account, CancellationToken cancellation)
    {
        try
        {
            await AskAsync(
                    async token =>
                    {
                        await using var pages = _account
                            .Queues.GetQueuesAsync(cancellationToken: token)
                            .AsPages(pageSizeHint: 1)
                            .GetAsyncEnumerator(token);
                        await pages.MoveNextAsync().ConfigureAwait(false);
                    },
                    $"Listing the queues of the account '{account}'",
                    _settings.Timeout,
                    cancellation
                )
                .ConfigureAwait(false);
            return true;
        }
        catch (SinkException e)
            when (e.InnerException is RequestFailedException { ErrorCode: AzureAnswer.NotPermitted or AzureAnswer.NotThisKind })
        {
            return false;
        }
    }

    private async Task<string?> SendAsync(OutboundMessage message, int attempt, CancellationToken cancellation)
    {
        string name = AzureNames.Queue(message.Target);
        if (AzureNames.WhyNot(name) is { } reason)
            return $"'{message.Target}' is no name for an Azure queue: {reason}";
        if (message.Data.Length < MaxEventBytes && Text(message, attempt, null) is { } text)
            return await PutAsync(name, text, cancellation).ConfigureAwait(false);
        return _claimCheck is null
            ? TooLarge(message)
            : await PutByClaimCheckAsync(_claimCheck, name, message, attempt, cancellation).ConfigureAwait(false);
    }

    private async Task<string?> PutByClaimCheckAsync(
        ClaimCheck claimCheck,
        string name,
        OutboundMessage message,
        int attempt,
        CancellationToken cancellation
    )
    {
        string? address = null;
        for (bool mayCreate = !_settings.SkipsDeclaration; address is null; mayCreate = false)
        {
            try
            {
                string? rejected = await AskAsync(
                        async token => address = await claimCheck.WriteAsync(message, token).ConfigureAwait(false),
                        $"Writing to the blob container '{_settings.ClaimCheckContainer}'",
                        _settings.Timeout + ClaimCheck.Extra(message),
                        cancellation,
                        AzureAnswer.OfBlobs
                    )
                    .ConfigureAwait(false);
                if (rejected is not null)
                    return rejected;
            }
            catch (SinkException e)
                when (mayCreate && e.InnerException is RequestFailedException { ErrorCode: AzureAnswer.ContainerNotFound })
            {
                await AskAsync(
                        claimCheck.CreateAsync,
                        $"Creating the blob container '{_settings.ClaimCheckContainer}'",
                        _settings.Timeout,
                        cancellation
                    )
                    .ConfigureAwait(false);
            }
        }
        string? text = Text(message, attempt, address);
        // What is left of it are attributes, and these have limits.
        Invariant.Require(text is not null);
        return await PutAsync(name, text, cancellation).ConfigureAwait(false);
    }

    private async Task<string?> PutAsync(string name, string text, CancellationToken cancellation)
    {
        var queue = Queue(name);
        for (int i = 1; ; i++)
        {
            try
            {
                return await AskAsync(
                        token => queue.SendMessageAsync(text, _settings.VisibilityTimeout, _settings.TimeToLive ?? s_never, token),
                        $"Sending to the queue '{name}'",
                        _settings.Timeout,
                        cancellation,
                        AzureAnswer.OfMessages
                    )
                    .ConfigureAwait(false);
            }
            catch (SinkException e)
                when (i <= MaxDeclarations && e.InnerException is RequestFailedException { ErrorCode: AzureAnswer.QueueNotFound })
            {
                if (_settings.SkipsDeclaration)
                    throw new SinkException(
                        SinkFault.Task,
                        $"There is no queue '{name}', and the task declares none (SkipAutomaticQueueDeclaration).",
                        e
                    );
                if (i == MaxDeclarations)
                    throw new SinkException(SinkFault.Sink, $"The queue '{name}' was declared {i - 1} times and is not there.", e);
                await DeclareAsync(queue, cancellation).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Creates a queue; messages that need it at the same time wait for one and the same request.</summary>
    private Task DeclareAsync(QueueClient queue, CancellationToken cancellation)
    {
        lock (_lock)
        {
            if (!_declarations.TryGetValue(queue.Name, out var declaration) || declaration.IsCompleted)
                _declarations[queue.Name] = declaration = CreateAsync(queue, cancellation);
            return declaration;
        }
    }

    private async Task CreateAsync(QueueClient queue, CancellationToken cancellation) =>
        await AskAsync(
                token => queue.CreateIfNotExistsAsync(cancellationToken: token),
                $"Declaring the queue '{queue.Name}'",
                _settings.Timeout,
                cancellation
            )
            .ConfigureAwait(false);

    /// <summary>Asks something of Azure. Null: it is done; a text: the message's fault. Throws <see cref="SinkException"/>
    /// otherwise.</summary>
    /// <param name="ask">One request.</param>
    /// <param name="what">In words, for errors.</param>
    /// <param name="time">That it may take, answer included.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <param name="ofMessage">Codes of refusals that are the message's fault; null where there is no message.</param>
    private async Task<string?> AskAsync(
        Func<CancellationToken, Task> ask,
        string what,
        TimeSpan time,
        CancellationToken cancellation,
        IReadOnlySet<string>? ofMessage = null
    )
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        timeout.CancelAfter(time);
        try
        {
            await ask(timeout.Token).ConfigureAwait(false);
            return null;
        }
        catch (RequestFailedException e)
        {
            return AzureAnswer.Classify(e, what, ofMessage, _account.Pause.Last);
        }
        catch (OperationCanceledException e) when (!cancellation.IsCancellationRequested)
        {
            throw new SinkException(SinkFault.Sink, $"{what}: Azure did not answer within {time.TotalSeconds:0.#} s.", e);
        }
        catch (Exception e) when (e is XmlException or FormatException)
        {
            throw new SinkException(SinkFault.Task, $"{what}: what answered is not Azure: {e.Message}", e);
        }
        catch (Exception e) when (e is HttpRequestException or IOException)
        {
            throw AzureAnswer.Unreachable(e, what);
        }
    }

    private QueueClient Queue(string name)
    {
        lock (_lock)
        {
            if (!_queues.TryGetValue(name, out var queue))
                _queues[name] = queue = _account.Queues.GetQueueClient(name);
            return queue;
        }
    }

    /// <summary>The event in Base64, as the queue trigger of Azure Functions expects it; null when it is over the limit.</summary>
    private static string? Text(OutboundMessage message, int attempt, string? dataRef)
    {
        var output = new ArrayBufferWriter<byte>((dataRef is null ? message.Data.Length : 0) + 512);
        CloudEventJson.Write(message, attempt, output, dataRef);
        return output.WrittenCount <= MaxEventBytes ? Convert.ToBase64String(output.WrittenSpan) : null;
    }

    private static string TooLarge(OutboundMessage message) =>
        $"The event of {message.Data.Length:N0} bytes of data is over the limit of {MaxTextBytes >> 10} "
        + $"KiB that a message of an Azure queue has ({MaxEventBytes:N0} bytes before Base64). "
        + "With a 'ClaimCheckContainer' in its connection string such data goes to a blob, and the message names it.";
}

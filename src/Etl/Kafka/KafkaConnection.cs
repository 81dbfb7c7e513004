using Confluent.Kafka;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>A producer and what it says about itself between two faults. Its calls block, in slices.</summary>
internal sealed class KafkaConnection : IDisposable
{
    /// <summary>The name under which the client logs that a transaction has failed.</summary>
    private const string TransactionFailed = "TXNERR";

    /// <summary>Before that it logs so which topic was refused, if one was.</summary>
    private const string PartitionRefused = "ADDPARTS";

    private readonly KafkaClientConfig _config;
    private readonly Lazy<IAdminClient> _admin;

    /// <summary>Of an OpenID provider; null where there is none.</summary>
    private OidcTokens? _tokens;

    // Told by the client's own threads.
    private volatile Error? _trouble;
    private volatile Error? _fatal;
    private volatile string? _transactionFailure;
    private volatile string? _partitionRefusal;
    private volatile SinkException? _tokenFault;

    /// <summary>Throws <see cref="SinkException"/> when the client does not take the options. Connects in the background.</summary>
    /// <param name="config">How to connect.</param>
    /// <param name="transactionalId">Null: without transactions.</param>
    public KafkaConnection(KafkaClientConfig config, string? transactionalId)
    {
        _config = config;
        try
        {
            Producer = Build(config, transactionalId);
        }
        catch (InvalidConfigurationException e)
        {
            throw new SinkException(SinkFault.Task, e.Message, e);
        }
        _admin = new Lazy<IAdminClient>(() => new DependentAdminClientBuilder(Producer.Handle).Build());
    }

    public IProducer<byte[], byte[]> Producer { get; }

    public KafkaTimes Times => _config.Times;

    public IAdminClient Admin => _admin.Value;

    /// <summary>Why the transaction that began last cannot be committed any more, as the client wrote it down; null as long as it
    /// can. No call tells it by itself.</summary>
    public string? TransactionFailure => _transactionFailure;

    /// <summary>What failed before is nothing to the transaction that begins now.</summary>
    public void ForgetTransactionFailure() => _partitionRefusal = _transactionFailure = null;

    /// <summary>Asks the native client whether it takes the options. Throws <see cref="InvalidConfigurationException"/>.</summary>
    public static void Check(KafkaClientConfig config) => new KafkaConnection(config).Dispose();

    private KafkaConnection(KafkaClientConfig config)
    {
        _config = config;
        Producer = Build(config, null);
        _admin = new Lazy<IAdminClient>();
    }

    /// <summary>A consumer of the same cluster.</summary>
    public IConsumer<byte[], byte[]> BuildReader(string name)
    {
        var builder = new ConsumerBuilder<byte[], byte[]>(_config.Reader(name))
            .SetErrorHandler((_, error) => HearReader(error))
            .SetLogHandler((_, message) => HearLog(message));
        if (TokenSource() is { } token)
            builder.SetOAuthBearerTokenRefreshHandler((client, _) => Refresh(client, token));
        return builder.Build();
    }

    /// <summary>Throws what a person must know, when the client has said it in the background: there no call fails by it, each
    /// only takes too long.</summary>
    public void ThrowIfRefused(string doing)
    {
        if (_tokenFault is { } token)
            throw new SinkException(token.Fault, token.Message, token);
        if (_trouble is { } trouble && KafkaErrors.IsOfTask(trouble))
            throw KafkaErrors.Translate(trouble, doing);
        if (_fatal is { } fatal)
            throw KafkaErrors.Translate(fatal, doing);
    }

    /// <summary>What to throw for an error of the client: where it is only that time ran out, the reason it gave in the
    /// background is told.</summary>
    public SinkException Translate(KafkaException error, string doing)
    {
        ThrowIfRefused(doing);
        bool saysLittle = error.Error.Code is ErrorCode.Local_TimedOut or ErrorCode.Local_MsgTimedOut or ErrorCode.RequestTimedOut;
        return KafkaErrors.Translate(saysLittle && _trouble is { } trouble ? trouble : error.Error, doing, error);
    }

    /// <summary>Nobody answered in time.</summary>
    public SinkException TimedOut(string doing, TimeSpan after)
    {
        ThrowIfRefused(doing);
        string reason = _trouble is { } trouble ? $" ({trouble.Reason})" : "";
        return new SinkException(
            SinkFault.Sink,
            $"Kafka, {doing}: no answer from {_config.Settings.BootstrapServers} within {after.TotalSeconds:0.#} s{reason}."
        );
    }

    /// <summary>Waits for what the broker answers to an administrator's question, and hears meanwhile why it does not.</summary>
    public T Ask<T>(Func<Task<T>> question, string doing, CancellationToken cancellation)
    {
        try
        {
            var answer = question();
            while (!answer.Wait((int)KafkaTimes.Slice.TotalMilliseconds, cancellation))
                ThrowIfRefused(doing);
            return answer.Result;
        }
        catch (AggregateException e) when (e.InnerException is KafkaException error)
        {
            // Of several questions some may have been answered: whoever asked looks into it.
            throw error.Error.Code == ErrorCode.Local_Partial ? KafkaErrors.Translate(error.Error, doing, error) : Translate(error, doing);
        }
        catch (KafkaException e)
        {
            throw Translate(e, doing);
        }
    }

    public void Dispose()
    {
        if (_admin.IsValueCreated)
            _admin.Value.Dispose();
        Producer.Dispose();
        _tokens?.Dispose();
    }

    private IProducer<byte[], byte[]> Build(KafkaClientConfig config, string? transactionalId)
    {
        var builder = new ProducerBuilder<byte[], byte[]>(config.Producer(transactionalId))
            .SetErrorHandler((_, error) => Hear(error))
            .SetLogHandler((_, message) => HearLog(message));
        if (TokenSource() is { } token)
            builder.SetOAuthBearerTokenRefreshHandler((client, _) => Refresh(client, token));
        try
        {
            return builder.Build();
        }
        catch (Exception e) when (e is InvalidOperationException or ArgumentException or KafkaException)
        {
            throw new InvalidConfigurationException($"Kafka's client does not take the connection's options: {e.Message}");
        }
        catch (Exception e) when (e is DllNotFoundException or TypeInitializationException or BadImageFormatException)
        {
            throw new InvalidConfigurationException($"Kafka's native client (librdkafka) cannot be loaded: {e.Message}");
        }
    }

    private void Hear(Error error)
    {
        if (error.IsFatal)
            _fatal = error;
        // That all brokers are down says less than why.
        if (error.Code != ErrorCode.Local_AllBrokersDown || _trouble is null)
            _trouble = error;
    }

    /// <summary>A reader belongs to no group, whatever the client asks for.</summary>
    private void HearReader(Error error)
    {
        if (error.Code != ErrorCode.GroupAuthorizationFailed)
            Hear(error);
    }

    /// <summary>Where the client's tokens come from; null: it needs none, or gets them itself.</summary>
    private Action<IClient>? TokenSource()
    {
        if (_config.Settings.ManagedIdentity is { } identity)
            return client =>
            {
                var token = ManagedIdentityToken.Fetch(identity);
                client.OAuthBearerSetToken(token.Value, token.ExpiresAt.ToUnixTimeMilliseconds(), token.Principal);
            };
        if (_config.Settings.Oidc is not { } oidc)
            return null;
        _tokens ??= new OidcTokens(oidc, TimeProvider.System, _config.Targets);
        return client =>
        {
            var token = _tokens.GetAsync(oidc.RequestedScope ?? "", CancellationToken.None).GetAwaiter().GetResult();
            // Brokers look into the token for whom it stands.
            client.OAuthBearerSetToken(token.Token, token.ExpiresOn.ToUnixTimeMilliseconds(), oidc.ClientId, oidc.SaslExtensions);
        };
    }

    private void Refresh(IClient client, Action<IClient> setToken)
    {
        try
        {
            setToken(client);
            _tokenFault = null;
        }
        catch (SinkException e)
        {
            _tokenFault = e;
            client.OAuthBearerSetTokenFailure(e.Message);
        }
        catch (Exception e) when (e is KafkaException or ArgumentException or InvalidOperationException)
        {
            // The client does not take the token.
            _tokenFault = new SinkException(SinkFault.Task, $"Kafka's client does not take the token: {e.Message}", e);
            client.OAuthBearerSetTokenFailure(e.Message);
        }
    }

    /// <summary>What matters comes as errors, but for two things; the rest would go to the process's standard error.</summary>
    private void HearLog(LogMessage message)
    {
        if (message.Facility == PartitionRefused)
            _partitionRefusal = message.Message;
        else if (message.Facility == TransactionFailed)
            _transactionFailure = _partitionRefusal is { } refusal ? $"{message.Message}: {refusal}" : message.Message;
    }
}

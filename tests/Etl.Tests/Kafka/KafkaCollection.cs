using Jackdaw.Brokers;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>All of these tests share one broker.</summary>
[CollectionDefinition(Name)]
public sealed class KafkaCollection : ICollectionFixture<KafkaCollection.SharedBroker>
{
    public const string Name = "Kafka";

    /// <summary>Started with the first test that needs it. Clients that come by the proxy stay behind it.</summary>
    public sealed class SharedBroker : IAsyncLifetime
    {
        private static readonly Dictionary<string, string> s_security = new()
        {
            ["listener.name.sasled.sasl.enabled.mechanisms"] = "PLAIN,OAUTHBEARER",
            ["listener.name.sasled.plain.sasl.jaas.config"] =
                "org.apache.kafka.common.security.plain.PlainLoginModule required user_good=\"right\" user_poor=\"right\";",
            // Without a handler of its own it takes tokens that nobody signed.
            ["listener.name.sasled.oauthbearer.sasl.jaas.config"] =
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=\"broker\";",
            ["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            ["super.users"] = "User:ANONYMOUS;User:good",
        };

        private readonly SemaphoreSlim _starting = new(1);
        private KafkaBroker? _broker;

        public CuttingProxy Proxy { get; } = CuttingProxy.Start(0);

        /// <summary>Where clients must say who they are: <c>good</c> may do everything, <c>poor</c> nothing; their password is
        /// <c>right</c>.</summary>
        public int SaslPort { get; } = LoopbackPort.Find();

        public async Task<KafkaBroker> StartedAsync()
        {
            await _starting.WaitAsync();
            try
            {
                if (_broker is null)
                {
                    _broker = await KafkaBroker.StartAsync(
                        new KafkaBrokerOptions
                        {
                            AdvertisedPort = Proxy.Port,
                            SaslPort = SaslPort,
                            Properties = s_security,
                        }
                    );
                    Proxy.TargetPort = _broker.ProxiedPort!.Value;
                }
                return _broker;
            }
            finally
            {
                _starting.Release();
            }
        }

        public Task InitializeAsync() => Task.CompletedTask;

        public async Task DisposeAsync()
        {
            await Proxy.DisposeAsync();
            if (_broker is { } broker)
                await broker.DisposeAsync();
            _starting.Dispose();
        }
    }
}

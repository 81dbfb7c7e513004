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
        private readonly SemaphoreSlim _starting = new(1);
        private KafkaBroker? _broker;

        public CuttingProxy Proxy { get; } = CuttingProxy.Start(0);

        public async Task<KafkaBroker> StartedAsync()
        {
            await _starting.WaitAsync();
            try
            {
                if (_broker is null)
                {
                    _broker = await KafkaBroker.StartAsync(new KafkaBrokerOptions { AdvertisedPort = Proxy.Port });
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

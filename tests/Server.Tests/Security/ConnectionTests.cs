using Jackdaw.Server.Security;
using Jackdaw.Server.Tests.Security.Certificates;
using Jackdaw.Server.Tests.Serving;
using Microsoft.AspNetCore.Connections.Features;

namespace Jackdaw.Server.Tests.Security;

/// <summary>What happens to open connections when certificates change.</summary>
public sealed class ConnectionTests : IDisposable
{
    private readonly KnownClients _clients = new();

    public void Dispose() => _clients.Dispose();

    [Fact]
    public async Task A_certificate_that_is_deleted_or_loses_a_right_ends_its_connections_and_no_other()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var writer = _clients.Add("writer", Clearance.ValidUser, ("db", DatabaseRight.ReadWrite), ("b", DatabaseRight.Read));
        var reader = _clients.Add("reader", Clearance.ValidUser, ("db", DatabaseRight.Read));
        var oper = _clients.Add("operator", Clearance.Operator);
        using var ofWriter = new Connection();
        using var ofReader = new Connection();
        using var ofOperator = new Connection();
        await scene.RequestAsync("GET", "/databases/db/stats", certificate: writer, connection: ofWriter);
        await scene.RequestAsync("GET", "/databases/db/stats", certificate: reader, connection: ofReader);
        await scene.RequestAsync("GET", "/databases/db/stats", certificate: oper, connection: ofOperator);
        Assert.Equal(3, scene.State.Gate.OpenConnections);
        Assert.Empty(scene.State.Gate.EndThoseWithLess());

        _clients.Set(reader, "reader", Clearance.ValidUser, ("db", DatabaseRight.Admin));
        Assert.Empty(scene.State.Gate.EndThoseWithLess());
        _clients.Set(writer, "writer", Clearance.ValidUser, ("db", DatabaseRight.ReadWrite));
        Assert.Equal("writer", Assert.Single(scene.State.Gate.EndThoseWithLess()).Name);
        _clients.Set(oper, "operator", Clearance.ValidUser, ("db", DatabaseRight.Admin));
        Assert.Equal("operator", Assert.Single(scene.State.Gate.EndThoseWithLess()).Name);
        _clients.Remove(reader);
        Assert.Equal("reader", Assert.Single(scene.State.Gate.EndThoseWithLess()).Name);

        Assert.True(ofWriter.IsAborted && ofOperator.IsAborted && ofReader.IsAborted);
        Assert.Equal(0, scene.State.Gate.OpenConnections);
    }

    [Fact]
    public async Task A_certificate_that_expires_ends_the_connections_that_are_open_in_the_middle_of_something()
    {
        using var store = new StoreScene();
        var brief = store.Key().Certificate("brief", to: 1);
        await store.Store.PutAsync(StoreScene.New("brief", Clearance.ValidUser, brief, ("db", DatabaseRight.Read)), Access.Unsecured);
        var lasting = await store.AddAsync("lasting", Clearance.ValidUser, ("db", DatabaseRight.Read));
        var gate = new AccessGate(store.Store, clock: store.Clock);
        using var ofBrief = new Connection();
        using var ofLasting = new Connection();
        gate.IdentifyConnection(null, brief, ofBrief, out _);
        gate.IdentifyConnection(null, lasting, ofLasting, out _);

        store.Clock.Advance(TimeSpan.FromDays(1) - TimeSpan.FromMinutes(1));
        Assert.Empty(gate.EndThoseWithLess());
        store.Clock.Advance(TimeSpan.FromMinutes(2));

        Assert.Equal("brief", Assert.Single(gate.EndThoseWithLess()).Name);
        Assert.True(ofBrief.IsAborted && !ofLasting.IsAborted);
    }

    [Fact]
    public async Task A_connection_that_closes_is_forgotten()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var reader = _clients.Add("reader", Clearance.ValidUser, ("db", DatabaseRight.Read));
        for (var i = 0; i < 100; i++)
        {
            using var connection = new Connection();
            await scene.RequestAsync("GET", "/databases/db/stats", certificate: reader, connection: connection);
            connection.Abort();
            // A request on a connection that is closed already is remembered no longer than it takes.
            await scene.RequestAsync("GET", "/databases/db/stats", certificate: reader, connection: connection);
        }

        Assert.Equal(0, scene.State.Gate.OpenConnections);
    }

    private sealed class Connection : IConnectionLifetimeFeature, IDisposable
    {
        private readonly CancellationTokenSource _closed = new();

        public bool IsAborted { get; private set; }

        public CancellationToken ConnectionClosed
        {
            get => _closed.Token;
            set => throw new NotSupportedException();
        }

        public void Abort()
        {
            IsAborted = true;
            _closed.Cancel();
        }

        public void Dispose() => _closed.Dispose();
    }
}

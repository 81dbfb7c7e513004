namespace Jackdaw.Server.Security.Audit;

/// <summary>Ends the connections of clients who may do less than before: when told of a change, and once a minute, since certificates
/// expire.</summary>
internal sealed class ConnectionWatch : IDisposable
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMinutes(1);

    private readonly AccessGate _gate;
    private readonly AuditLog _audit;
    private readonly ITimer _timer;

    public ConnectionWatch(AccessGate gate, AuditLog audit, TimeProvider? clock = null)
    {
        _gate = gate;
        _audit = audit;
        _timer = (clock ?? TimeProvider.System).CreateTimer(_ => Look(), null, s_interval, s_interval);
    }

    /// <summary>Looks at every connection now. Call it after a change to the certificates, and hold no lock.</summary>
    public void Look()
    {
        foreach (var client in _gate.EndThoseWithLess())
            _audit.Add(
                new AuditEntry
                {
                    Kind = AuditKind.ConnectionEnded,
                    Client = client.Name,
                    Thumbprint = client.Thumbprint,
                    Reason = "The certificate was deleted, has expired, or has lost a right.",
                }
            );
    }

    /// <inheritdoc/>
    public void Dispose() => _timer.Dispose();
}

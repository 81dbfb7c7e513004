using System.IO.Pipelines;

namespace Jackdaw.Server.Http.Upgrading;

/// <summary>A connection's pipes as HTTP sees them: those of a connection that is handed over stay open when HTTP ends.</summary>
internal sealed class HttpTransport(IDuplexPipe transport, ConnectionHandover handover) : IDuplexPipe
{
    /// <inheritdoc/>
    public PipeReader Input { get; } = new HttpInput(transport.Input, handover);

    /// <inheritdoc/>
    public PipeWriter Output { get; } = new HttpOutput(transport.Output, handover);
}

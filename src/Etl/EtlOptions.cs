using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Etl;

/// <summary>What a server's tasks have in common.</summary>
public sealed record EtlOptions
{
    /// <summary>The limits of all tasks.</summary>
    public EtlLimits Limits { get; init; } = EtlLimits.Default;

    /// <summary>The server's public address, without a trailing slash; null when none is configured. Part of CloudEvents'
    /// <c>source</c>.</summary>
    public string? PublicUrl { get; init; }

    /// <summary>Gives the server's own certificate as it is now, which the server may show to brokers; null when none is configured. Asked
    /// each time that a client of a broker is made. Not disposed of here.</summary>
    public Func<X509Certificate2?> ServerCertificate { get; init; } = static () => null;

    /// <summary>Which files and environment variables of the server's machine connection strings may use.</summary>
    public Configuration.IMachineSecrets Secrets { get; init; } = Configuration.UnboundMachineSecrets.Instance;

    /// <summary>To which addresses receivers over HTTP may be connected.</summary>
    public HttpTargets.TargetAddresses Targets { get; init; } = new(RefusesPrivate: false);

    /// <summary>The clock of all tasks.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    /// <summary>Draws the jitter of pauses.</summary>
    public Random Random { get; init; } = Random.Shared;

    /// <summary>A test's chance to stop between two steps, as a crash would: called with a name of <see cref="Failpoint"/>.</summary>
    public Action<string>? FailpointReached { get; init; }

    /// <summary>A test's own sinks in place of those that tasks name.</summary>
    internal Func<Configuration.TaskDefinition, Sinks.ISink>? Sink { get; init; }
}

using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Jackdaw.Connections;
using Jackdaw.EventStreams.Client;
using Jackdaw.EventStreams.Client.Errors;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Akka.Persistence.Jackdaw.Hosting;

/// <summary>Asks the server whether the database is there. It never writes, and does not go through the journal.</summary>
public sealed class JackdawConnectivityCheck(JackdawConnection connection) : IAkkaHealthCheck
{
    /// <inheritdoc />
    public async Task<HealthCheckResult> CheckHealthAsync(AkkaHealthCheckContext context, CancellationToken cancellationToken = default)
    {
        try
        {
            await using var client = new EventStreamsClient(Options());
            await client.CheckAsync(cancellationToken);
            return HealthCheckResult.Healthy($"The database {connection.Database} answers.");
        }
        catch (Exception e) when (e is EventStreamsException or ArgumentException or ConfigurationException or OperationCanceledException)
        {
            return new HealthCheckResult(context.Registration?.FailureStatus ?? HealthStatus.Unhealthy, e.Message, e);
        }
    }

    private EventStreamsClientOptions Options() =>
        new()
        {
            Url = ConnectionSettings.Address(connection.Url ?? "", $"{nameof(JackdawConnection)}.{nameof(JackdawConnection.Url)}"),
            Database = connection.Database is { Length: > 0 } database
                ? database
                : throw new ConfigurationException(
                    $"{nameof(JackdawConnection)}.{nameof(JackdawConnection.Database)} of the connectivity check is missing."
                ),
            Certificate = Certificates.Load(
                connection.CertificatePath,
                connection.CertificatePassword,
                $"{nameof(JackdawConnection)}.{nameof(JackdawConnection.CertificatePath)}"
            ),
            ServerPin = connection.ServerPin is { Length: > 0 } pin ? pin : null,
            ServerAuthorities = Certificates.LoadAuthorities(
                connection.ServerAuthorityPath,
                $"{nameof(JackdawConnection)}.{nameof(JackdawConnection.ServerAuthorityPath)}"
            ),
        };
}

using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Hosting;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Akka.Persistence.Jackdaw.Hosting;

/// <summary>Adds Jackdaw's plug-ins to an actor system.</summary>
public static class JackdawHostingExtensions
{
    /// <summary>Keeps events and snapshots in a database of a server, which is created when it does not exist.</summary>
    /// <param name="builder">The actor system's.</param>
    /// <param name="url">The server's address, for example <c>http://localhost:8080</c>.</param>
    /// <param name="database">The database.</param>
    /// <param name="mode">The journal, the snapshot store, or both.</param>
    /// <param name="journalBuilder">Event adapters and health check of the journal.</param>
    /// <param name="snapshotBuilder">Health check of the snapshot store.</param>
    /// <param name="autoInitialize">Whether the database is created when it does not exist.</param>
    /// <param name="pluginIdentifier">The name of the sections: several plug-ins side by side have different ones.</param>
    /// <param name="isDefaultPlugin">Whether actors use these plug-ins when they name none.</param>
    public static AkkaConfigurationBuilder WithJackdawPersistence(
        this AkkaConfigurationBuilder builder,
        string url,
        string database,
        PersistenceMode mode = PersistenceMode.Both,
        Action<AkkaPersistenceJournalBuilder>? journalBuilder = null,
        Action<AkkaPersistenceSnapshotBuilder>? snapshotBuilder = null,
        bool autoInitialize = true,
        string pluginIdentifier = "jackdaw",
        bool isDefaultPlugin = true
    )
    {
        var connection = new JackdawConnection { Url = url, Database = database };
        return builder.WithJackdawPersistence(
            mode is PersistenceMode.SnapshotStore
                ? null
                : new JackdawJournalOptions(isDefaultPlugin, pluginIdentifier) { Connection = connection, AutoInitialize = autoInitialize },
            mode is PersistenceMode.Journal
                ? null
                : new JackdawSnapshotOptions(isDefaultPlugin, pluginIdentifier)
                {
                    Connection = connection,
                    AutoInitialize = autoInitialize,
                },
            journalBuilder,
            snapshotBuilder
        );
    }

    /// <summary>As the other one, with options; null: not this plug-in.</summary>
    /// <exception cref="ArgumentException">There is a builder without its options, or there are no options at all.</exception>
    public static AkkaConfigurationBuilder WithJackdawPersistence(
        this AkkaConfigurationBuilder builder,
        JackdawJournalOptions? journalOptions,
        JackdawSnapshotOptions? snapshotOptions = null,
        Action<AkkaPersistenceJournalBuilder>? journalBuilder = null,
        Action<AkkaPersistenceSnapshotBuilder>? snapshotBuilder = null
    )
    {
        if (journalOptions is null && snapshotOptions is null)
            throw new ArgumentException("Give options of the journal, of the snapshot store, or of both.", nameof(journalOptions));
        if (journalOptions is null && journalBuilder is not null)
            throw new ArgumentException("There is no journal whose adapters or health check could be set.", nameof(journalBuilder));
        if (snapshotOptions is null && snapshotBuilder is not null)
            throw new ArgumentException("There is no snapshot store whose health check could be set.", nameof(snapshotBuilder));
        if (journalOptions is not null)
            builder
                .WithJournal(journalOptions, journalBuilder)
                .AddHocon(
                    JackdawPersistence
                        .DefaultConfiguration()
                        .GetConfig("akka.persistence.query.journal.jackdaw")
                        .MoveTo(journalOptions.QueryPluginId),
                    HoconAddMode.Append
                );
        if (snapshotOptions is not null)
            builder.WithSnapshot(snapshotOptions, snapshotBuilder);
        return builder;
    }

    /// <summary>
    /// Adds a health check that asks the server whether the database is there, also while no actor works. It never writes.
    /// </summary>
    /// <param name="builder">The actor system's.</param>
    /// <param name="connection">Where the server is.</param>
    /// <param name="unHealthyStatus">What is reported when it does not answer.</param>
    /// <param name="name">Of the check.</param>
    /// <param name="tags">Of the check.</param>
    public static AkkaConfigurationBuilder WithJackdawConnectivityCheck(
        this AkkaConfigurationBuilder builder,
        JackdawConnection connection,
        HealthStatus unHealthyStatus = HealthStatus.Unhealthy,
        string? name = null,
        IEnumerable<string>? tags = null
    ) =>
        builder.WithHealthCheck(
            new AkkaHealthCheckRegistration(
                name ?? $"Akka.Persistence.Jackdaw.{connection.Database}.Connectivity",
                new JackdawConnectivityCheck(connection),
                unHealthyStatus,
                tags ?? ["akka", "persistence", "jackdaw", "connectivity"]
            )
        );
}

using Jackdaw.Server.Endpoints.Batches;
using Jackdaw.Server.Endpoints.BulkInsert;
using Jackdaw.Server.Endpoints.Certificates;
using Jackdaw.Server.Endpoints.Changes;
using Jackdaw.Server.Endpoints.Databases;
using Jackdaw.Server.Endpoints.Documents;
using Jackdaw.Server.Endpoints.Etl;
using Jackdaw.Server.Endpoints.EventStreams;
using Jackdaw.Server.Endpoints.EventStreams.Live;
using Jackdaw.Server.Endpoints.Expiration;
using Jackdaw.Server.Endpoints.Identities;
using Jackdaw.Server.Endpoints.Indexes;
using Jackdaw.Server.Endpoints.Monitoring;
using Jackdaw.Server.Endpoints.MultiGet;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Endpoints.Patching;
using Jackdaw.Server.Endpoints.Queries;
using Jackdaw.Server.Endpoints.Snapshots;
using Jackdaw.Server.Endpoints.Topology;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints;

/// <summary>Every endpoint of the server, area by area.</summary>
internal static class Routes
{
    public static Router All()
    {
        var router = new Router();
        HealthEndpoints.Map(router);
        MemoryEndpoints.Map(router);
        MetricsEndpoints.Map(router);
        BuildVersionEndpoints.Map(router);
        TopologyEndpoints.Map(router);
        CertificatesEndpoints.Map(router);
        DatabasesEndpoints.Map(router);
        ConfigurationEndpoints.Map(router);
        StatisticsEndpoints.Map(router);
        StorageEndpoints.Map(router);
        CopyEndpoints.Map(router);
        DocumentsEndpoints.Map(router);
        PatchEndpoints.Map(router);
        BulkDocumentsEndpoints.Map(router);
        MultiGetEndpoints.Map(router);
        HiLoEndpoints.Map(router);
        IdentitiesEndpoints.Map(router);
        OperationsEndpoints.Map(router);
        ChangesEndpoints.Map(router);
        IndexDefinitionsEndpoints.Map(router);
        IndexStatisticsEndpoints.Map(router);
        IndexTermsEndpoints.Map(router);
        IndexMaintenanceEndpoints.Map(router);
        BulkInsertEndpoints.Map(router);
        StreamsEndpoints.Map(router);
        EventStreamsEndpoints.Map(router);
        LiveReadsEndpoints.Map(router);
        SnapshotsEndpoints.Map(router);
        QueriesEndpoints.Map(router);
        QueryOperationsEndpoints.Map(router);
        DebugQueriesEndpoints.Map(router);
        ConnectionStringsEndpoints.Map(router);
        OngoingTasksEndpoints.Map(router);
        EtlEndpoints.Map(router);
        EtlTasksEndpoints.Map(router);
        DeadLettersEndpoints.Map(router);
        AlertsEndpoints.Map(router);
        ExpirationEndpoints.Map(router);
        ServerCertificateEndpoints.Map(router);
        NotYetSupportedEndpoints.Map(router);
        return router;
    }
}

using System.Text;
using Jackdaw.Server.Http;
using Jackdaw.Server.Metrics;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Monitoring;

/// <summary>What the server counts, for Prometheus and whatever else reads its format.</summary>
internal static class MetricsEndpoints
{
    public static void Map(Router router) => router.Server("GET", "/metrics", RequiredRight.Operator, Get);

    private static Task Get(RequestContext request)
    {
        request.Response.Clear();
        request.Response.Write(Encoding.UTF8.GetBytes(PrometheusText.Collect("Jackdaw.")));
        return request.SendAsync(StatusCodes.Status200OK, PrometheusText.ContentType);
    }
}

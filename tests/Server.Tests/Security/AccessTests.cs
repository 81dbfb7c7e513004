using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Security;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Security;

/// <summary>The gate before the handlers, request by request.</summary>
public sealed class AccessTests : IDisposable
{
    private readonly KnownClients _clients = new();

    public void Dispose() => _clients.Dispose();

    [Fact]
    public async Task A_right_to_a_database_is_compared_without_case_like_the_database()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var reader = _clients.Add("reader", Clearance.ValidUser, ("dB", DatabaseRight.Read));

        Assert.Equal(200, await StatusAsync(scene, "GET", "/databases/Db/stats", reader));
        Assert.Equal(403, await StatusAsync(scene, "GET", "/databases/db2/stats", reader));
    }

    [Fact]
    public async Task A_client_without_a_right_learns_nothing_of_whether_a_database_exists()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var stranger = _clients.Add("stranger", Clearance.ValidUser, ("other", DatabaseRight.Admin));
        foreach (var path in new[] { "/databases/{0}/stats", "/topology?name={0}", "/admin/databases?name={0}" })
        {
            var there = await SendAsync(scene, "GET", string.Format(null, path, "db"), stranger);
            var notThere = await SendAsync(scene, "GET", string.Format(null, path, "dx"), stranger);
            Assert.Equal(403, there.Status);
            Assert.Equal(there.Text, notThere.Text.Replace("dx", "db", StringComparison.Ordinal));
            Assert.Equal(there.Headers.Keys.Order(), notThere.Headers.Keys.Order());
        }
    }

    [Fact]
    public async Task The_list_of_databases_holds_those_that_the_client_may_read()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        await scene.State.Databases.CreateAsync("secret", default);
        var reader = _clients.Add("reader", Clearance.ValidUser, ("db", DatabaseRight.Read));
        var oper = _clients.Add("operator", Clearance.Operator);

        Assert.Equal(["db"], await NamesAsync(scene, reader));
        Assert.Equal(["db", "secret"], await NamesAsync(scene, oper));
    }

    [Fact]
    public async Task A_request_inside_a_multi_get_needs_its_own_right()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        await scene.State.Databases.CreateAsync("secret", default);
        var reader = _clients.Add("reader", Clearance.ValidUser, ("db", DatabaseRight.Read));

        var answer = await scene.RequestAsync(
            "POST",
            "/databases/db/multi_get",
            body: """
            {"Requests":[
              {"Url":"/databases/db/stats"},
              {"Url":"/databases/secret/stats"},
              {"Url":"/databases/db%2F..%2Fsecret/stats"},
              {"Url":"/databases/db/bulk_docs","Method":"POST","Content":{"Commands":[]}},
              {"Url":"/health/live"}]}
            """,
            certificate: reader
        );

        var statuses = answer.Json.GetProperty("Results").EnumerateArray().Select(one => one.GetProperty("StatusCode").GetInt32());
        Assert.Equal([200, 403, 404, 403, 200], statuses);
    }

    private static async Task<int> StatusAsync(ServerScene scene, string method, string path, X509Certificate2? certificate) =>
        (await SendAsync(scene, method, path, certificate)).Status;

    private static Task<ServedAnswer> SendAsync(ServerScene scene, string method, string path, X509Certificate2? certificate)
    {
        var mark = path.IndexOf('?', StringComparison.Ordinal);
        return mark < 0
            ? scene.RequestAsync(method, path, certificate: certificate)
            : scene.RequestAsync(method, path[..mark], path[mark..], certificate: certificate);
    }

    private static async Task<IEnumerable<string>> NamesAsync(ServerScene scene, X509Certificate2 certificate)
    {
        var answer = await SendAsync(scene, "GET", "/databases", certificate);
        return answer.Json.GetProperty("Databases").EnumerateArray().Select(one => one.GetProperty("Name").GetString()!);
    }
}

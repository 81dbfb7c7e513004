using Jackdaw.Server.Security;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Security;

/// <summary>What web pages make browsers send to a server.</summary>
public sealed class BrowserTests : IDisposable
{
    private readonly KnownClients _clients = new();

    public void Dispose() => _clients.Dispose();

    [Theory]
    [InlineData("localhost", 200)]
    [InlineData("LOCALHOST:8080", 200)]
    [InlineData("localhost.:8080", 200)]
    [InlineData("jackdaw.localhost", 200)]
    [InlineData("127.0.0.1:8080", 200)]
    [InlineData("127.1.2.3", 200)]
    [InlineData("[::1]:8080", 200)]
    [InlineData("[::ffff:127.0.0.1]", 200)]
    [InlineData("database.example:9000", 200)]
    [InlineData("database.example", 200)]
    [InlineData("evil.example", 403)]
    [InlineData("localhost.evil.example", 403)]
    [InlineData("evil-localhost", 403)]
    [InlineData("127.0.0.1.evil.example", 403)]
    [InlineData("192.168.1.7:8080", 403)]
    [InlineData("0.0.0.0:8080", 403)]
    [InlineData("[fe80::1]", 403)]
    [InlineData("[::1", 403)]
    [InlineData("", 403)]
    public async Task Without_certificates_a_request_must_name_this_machine(string host, int status)
    {
        await using var scene = await ServerScene.OpenAsync(settings: "--PublicServerUrl=http://database.example:9000");

        Assert.Equal(status, await StatusAsync(scene, "/databases/db/stats", ("Host", host)));
        Assert.Equal(status, await StatusAsync(scene, "/health/live", ("Host", host)));
    }

    [Theory]
    [InlineData(null, "none", 200)]
    [InlineData(null, "same-origin", 200)]
    [InlineData(null, "same-site", 403)]
    [InlineData(null, "cross-site", 403)]
    [InlineData(null, "", 403)]
    [InlineData("http://localhost:8080", null, 200)]
    [InlineData("http://LOCALHOST:8080", "same-origin", 200)]
    [InlineData("http://localhost:8081", null, 403)]
    [InlineData("http://evil.example", null, 403)]
    [InlineData("http://evil.example", "none", 403)]
    [InlineData("http://localhost:8080@evil.example", null, 403)]
    [InlineData("file://localhost:8080", null, 403)]
    [InlineData("null", null, 403)]
    [InlineData("", null, 403)]
    public async Task A_page_of_another_origin_is_refused(string? origin, string? site, int status)
    {
        await using var scene = await ServerScene.OpenAsync();
        var headers = new List<(string, string)> { ("Host", "localhost:8080") };
        if (origin is not null)
            headers.Add(("Origin", origin));
        if (site is not null)
            headers.Add(("Sec-Fetch-Site", site));

        Assert.Equal(status, await StatusAsync(scene, "/databases/db/stats", [.. headers]));
    }

    [Fact]
    public async Task A_browser_with_a_certificate_sends_nothing_for_a_page_of_another_origin_either()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var oper = _clients.Add("operator", Clearance.Operator);
        var headers = new Dictionary<string, string> { ["Host"] = "database.example", ["Sec-Fetch-Site"] = "cross-site" };

        Assert.Equal(403, (await scene.RequestAsync("GET", "/databases", headers: headers, certificate: oper)).Status);
        headers["Sec-Fetch-Site"] = "same-origin";
        Assert.Equal(200, (await scene.RequestAsync("GET", "/databases", headers: headers, certificate: oper)).Status);
    }

    private static async Task<int> StatusAsync(ServerScene scene, string path, params (string Name, string Value)[] headers) =>
        (await scene.RequestAsync("GET", path, headers: headers.ToDictionary(one => one.Name, one => one.Value))).Status;
}

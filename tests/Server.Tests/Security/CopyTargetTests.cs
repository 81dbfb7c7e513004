using Jackdaw.Server.Security;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Security;

/// <summary>Where copies may be written.</summary>
public sealed class CopyTargetTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-copies-").FullName;
    private readonly KnownClients _clients = new();

    public CopyTargetTests()
    {
        Directory.CreateDirectory(Below);
        Directory.CreateDirectory(Path.Combine(_folder, "elsewhere"));
        Directory.CreateDirectory(Path.Combine(_folder, "copies-of-others"));
        Directory.CreateSymbolicLink(Path.Combine(Below, "out"), Path.Combine(_folder, "elsewhere"));
        Directory.CreateSymbolicLink(Path.Combine(Below, "up"), "..");
        Directory.CreateSymbolicLink(Path.Combine(Below, "loop"), "loop");
        Directory.CreateSymbolicLink(Path.Combine(Below, "nowhere"), Path.Combine(_folder, "not-there"));
        Directory.CreateSymbolicLink(Path.Combine(Below, "inside"), "real");
        Directory.CreateDirectory(Path.Combine(Below, "real"));
    }

    private string Below => Path.Combine(_folder, "copies");

    public void Dispose()
    {
        _clients.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData("today", "today")]
    [InlineData("{below}/today", "today")]
    [InlineData("{below}//a/./b/", "a/b")]
    [InlineData("{below}/inside/x", "real/x")]
    [InlineData("{below}/x/../today", "today")]
    public void A_folder_below_the_configured_one_is_taken(string folder, string target) =>
        Assert.Equal(Path.Combine(Below, target), CopyTarget.Require(folder.Replace("{below}", Below), Below, isSecured: true));

    [Theory]
    [InlineData("/etc/cron.d/x")]
    [InlineData("{below}")]
    [InlineData("{below}/")]
    [InlineData("{below}/.")]
    [InlineData("..")]
    [InlineData("../elsewhere/x")]
    [InlineData("{below}/../elsewhere/x")]
    [InlineData("{below}-of-others/x")]
    [InlineData("{below}/out/x")]
    [InlineData("{below}/up/elsewhere/x")]
    [InlineData("{below}/up/copies/../elsewhere")]
    [InlineData("{below}/loop/x")]
    [InlineData("{below}/nowhere")]
    [InlineData("{below}/nowhere/x")]
    public void A_folder_elsewhere_is_refused(string folder) =>
        Assert.Throws<AccessDeniedException>(() => CopyTarget.Require(folder.Replace("{below}", Below), Below, isSecured: true));

    [Fact]
    public void Without_a_configured_folder_only_a_server_on_loopback_without_certificates_copies()
    {
        Assert.Equal("/anywhere", CopyTarget.Require("/anywhere", null, isSecured: false));
        var refusal = Assert.Throws<AccessDeniedException>(() => CopyTarget.Require("/anywhere", null, isSecured: true));
        Assert.Contains("Security.CopyFolder", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_operator_copies_below_the_configured_folder_and_nowhere_else()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients, settings: $"--Security.CopyFolder={Below}");
        var oper = _clients.Add("operator", Clearance.Operator);

        var refused = await scene.RequestAsync("POST", "/databases/db/admin/copy", $"?to={_folder}/elsewhere/x", certificate: oper);
        var copied = await scene.RequestAsync("POST", "/databases/db/admin/copy", "?to=x", certificate: oper);

        Assert.Equal(403, refused.Status);
        Assert.False(Directory.Exists(Path.Combine(_folder, "elsewhere", "x")));
        Assert.Contains("Completed", copied.Text, StringComparison.Ordinal);
        Assert.True(Directory.Exists(Path.Combine(Below, "x")));
    }
}

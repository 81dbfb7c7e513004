using Jackdaw.Server.Hosting;

namespace Jackdaw.Server.Tests.Hosting;

/// <summary>A process without a home folder gets one, since handshakes of TLS fail without.</summary>
public sealed class HomeFolderTests
{
    [Theory]
    [InlineData(null, "/", "/nonexistent")]
    [InlineData("", "/", "/nonexistent")]
    [InlineData("", "", "/nonexistent")]
    [InlineData(null, "/root", null)]
    [InlineData("", "/home/jackdaw", null)]
    [InlineData("/", "/", null)]
    [InlineData("/var/lib/jackdaw", "/var/lib/jackdaw", null)]
    public void Only_a_process_whose_user_has_none_gets_another_home_folder(string? variable, string profile, string? expected) =>
        Assert.Equal(expected, HomeFolder.Missing(variable, profile));
}

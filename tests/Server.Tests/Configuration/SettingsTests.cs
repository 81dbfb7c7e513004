using System.Collections;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Tests.Configuration;

public sealed class SettingsTests
{
    [Fact]
    public void Without_any_source_the_defaults_hold()
    {
        var configuration = Read();

        Assert.Equal("http://127.0.0.1:8080/", configuration.ServerUrl.ToString());
        Assert.Equal(Path.GetFullPath("./data"), configuration.DataDirectory);
        Assert.False(configuration.RunInMemory);
        Assert.Null(configuration.ParentProcessId);
    }

    [Fact]
    public void The_command_line_wins_over_the_environment_and_that_over_the_file()
    {
        var file = Path.GetTempFileName();
        File.WriteAllText(
            file,
            """{ "ServerUrl": "http://127.0.0.1:1", "DataDir": "/from/file", "Limits": { "MaxConnections": 11 }, "Limits.MaxLargeRequests": 12 }"""
        );

        var configuration = ServerConfiguration.Read(
            ["--config-path", file, "--ServerUrl=http://127.0.0.1:3"],
            new Hashtable
            {
                ["JACKDAW_ServerUrl"] = "http://127.0.0.1:2",
                ["JACKDAW_DATADIR"] = "/from/environment",
                ["UNRELATED"] = "x",
            }
        );

        Assert.Equal(3, configuration.ServerUrl.Port);
        Assert.Equal("/from/environment", configuration.DataDirectory);
        Assert.Equal(11, configuration.MaxConnections);
        Assert.Equal(12, configuration.MaxLargeRequests);
        File.Delete(file);
    }

    [Fact]
    public void An_underscore_in_a_variable_stands_for_a_dot()
    {
        var configuration = ServerConfiguration.Read([], new Hashtable { ["JACKDAW_ServerUrl_Tcp"] = "tcp://127.0.0.1:38888" });

        Assert.Equal(38888, configuration.TcpUrl!.Port);
    }

    [Fact]
    public void What_the_drivers_of_the_protocol_pass_is_accepted_without_a_word()
    {
        var configuration = Read(
            "--RunInMemory=true",
            "--License.Eula.Accepted=true",
            "--Setup.Mode=None",
            "--Logs.Mode=None",
            "--Testing.ParentProcessId=1",
            "--ServerUrl=http://127.0.0.1:0",
            "--ServerUrl.Tcp=tcp://127.0.0.1:38884",
            "--Features.Availability=Experimental"
        );

        Assert.True(configuration.RunInMemory);
        Assert.Equal(1, configuration.ParentProcessId);
        Assert.Equal(0, configuration.ServerUrl.Port);
        Assert.Empty(configuration.Warnings);
    }

    [Theory]
    [InlineData("--ServerUlr=http://127.0.0.1:1", "ServerUrl")]
    [InlineData("--Limits.MaxConections=1", "Limits.MaxConnections")]
    [InlineData("--DataDirr=/x", "DataDir")]
    public void A_misspelt_setting_is_refused_with_the_name_it_was_meant_to_be(string argument, string meant)
    {
        var refusal = Assert.Throws<ConfigurationException>(() => Read(argument));

        Assert.Contains($"did you mean '{meant}'?", refusal.Message);
    }

    [Fact]
    public void A_setting_that_resembles_nothing_known_is_warned_about()
    {
        var configuration = Read("--Whatever.Else=1");

        Assert.Contains("Whatever.Else", Assert.Single(configuration.Warnings));
    }

    [Fact]
    public void A_security_setting_that_would_be_ignored_is_refused()
    {
        var refusal = Assert.Throws<ConfigurationException>(() => Read("--Security.Certificate.LetsEncrypt.Email=a@example.com"));

        Assert.Contains("Security.Certificate.LetsEncrypt.Email", refusal.Message);
    }

    [Theory]
    [InlineData("http://0.0.0.0:8080")]
    [InlineData("http://[::]:8080")]
    [InlineData("http://10.1.2.3:8080")]
    [InlineData("http://db.example:8080")]
    [InlineData("http://127.0.0.1:8080;http://10.1.2.3:8080")]
    public void Plain_http_beyond_this_machine_is_refused_with_what_to_do_whatever_else_is_said(string url)
    {
        foreach (
            string[] also in (string[][])
                [
                    [],
                    ["--Security.UnsecuredAccessAllowed=PublicNetwork"],
                ]
        )
        {
            var refusal = Assert.Throws<ConfigurationException>(() => Read([$"--ServerUrl={url}", .. also]));
            Assert.Contains("https", refusal.Message);
            Assert.Contains("Security.Certificate.Path", refusal.Message);
        }
    }

    [Theory]
    [InlineData("http://127.0.0.1:0")]
    [InlineData("http://localhost:8080")]
    [InlineData("http://[::1]:8080")]
    [InlineData("http://127.0.0.1:8080;http://[::1]:8080")]
    public void Plain_http_of_this_machine_needs_nothing(string url) =>
        Assert.Equal(url.Split(';').Select(one => new Uri(one)), Read($"--ServerUrl={url}").ServerUrls);

    [Fact]
    public void The_setting_that_allowed_plain_http_is_taken_with_a_warning()
    {
        Assert.Empty(Read().Warnings);
        var warning = Assert.Single(Read("--Security.UnsecuredAccessAllowed=PublicNetwork").Warnings);
        Assert.Contains("Security.UnsecuredAccessAllowed has no effect", warning);
    }

    [Theory]
    [InlineData("--ServerUrl=https://127.0.0.1:1;http://127.0.0.1:2", "must be https")]
    [InlineData("--ServerUrl=https://127.0.0.1:1;https://127.0.0.1:1", "twice")]
    [InlineData("--PublicServerUrl=http://db.example", "say https")]
    public void Addresses_that_do_not_fit_a_certificate_are_refused(string argument, string reason)
    {
        string[] settings = ["--ServerUrl=https://127.0.0.1:0", "--Security.Certificate.Path=/some/server.pfx", argument];
        Assert.Contains(reason, Assert.Throws<ConfigurationException>(() => Read(settings)).Message);
    }

    [Fact]
    public void A_key_without_a_certificate_is_refused() =>
        Assert.Contains(
            "needs Security.Certificate.Path",
            Assert.Throws<ConfigurationException>(() => Read("--Security.Certificate.KeyPath=/some/tls.key")).Message
        );

    [Theory]
    [InlineData("--ServerUrl=ftp://127.0.0.1", "ServerUrl")]
    [InlineData("--ServerUrl=https://127.0.0.1:443", "Security.Certificate.Path")]
    [InlineData("--Limits.MaxConnections=-1", "Limits.MaxConnections")]
    [InlineData("--Limits.MaxConnections=many", "Limits.MaxConnections")]
    [InlineData("--Limits.MaxDocumentSizeInMb=501", "500")]
    [InlineData("--Limits.MaxStagedBodiesSizeInMb=255", "Limits.MaxRequestBodySizeInMb")]
    [InlineData("--RunInMemory=perhaps", "RunInMemory")]
    [InlineData("stray", "stray")]
    public void A_malformed_setting_is_refused_by_name(string argument, string named) =>
        Assert.Contains(named, Assert.Throws<ConfigurationException>(() => Read(argument)).Message);

    [Fact]
    public void A_file_that_is_missing_or_no_json_is_refused_by_name()
    {
        var broken = Path.GetTempFileName();
        File.WriteAllText(broken, "{ \"ServerUrl\": ");

        Assert.Contains("/no/such/file", Assert.Throws<ConfigurationException>(() => Read("--config-path", "/no/such/file")).Message);
        Assert.Contains(broken, Assert.Throws<ConfigurationException>(() => Read($"--config-path={broken}")).Message);
        File.Delete(broken);
    }

    private static ServerConfiguration Read(params string[] arguments) => ServerConfiguration.Read(arguments, new Hashtable());
}

using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Containers;

/// <summary>The Dockerfile, compose.yaml and the service's files hold together: what they name is there, and each setting is one
/// that the server knows.</summary>
public sealed class ContainerCheckTests
{
    private static readonly string[] s_checked = ["Dockerfile", "compose.yaml", "infra", "functions", "global.json"];

    [Fact]
    public async Task The_container_and_the_service_hold_together()
    {
        using var folder = new Folder();
        var check = await CheckAsync(Checkout.Root, folder);
        Assert.True(check.ExitCode == 0, check.All);
    }

    [Theory]
    [InlineData("compose.yaml", "JACKDAW_PublicServerUrl", "JACKDAW_PublicServerUrI", "'JACKDAW_PublicServerUrI' is no setting")]
    [InlineData("Dockerfile", "JACKDAW_DataDir", "JACKDAW_DataDirectory", "'JACKDAW_DataDirectory' is no setting")]
    [InlineData("infra/systemd/settings.json", "Security.Certificate.Path", "Security.Certificate.File", "is no setting")]
    [InlineData("infra/systemd/jackdaw.service", "--config-path", "--config-file", "'--config-file' is no setting")]
    [InlineData("infra/machine/cloud-init.yaml", "JACKDAW_PublicServerUrl", "JACKDAW_PublicUrl", "'JACKDAW_PublicUrl' is no setting")]
    [InlineData("infra/machine/cloud-init.yaml", "{{publicUrl}}", "{{url}}", "nothing fills in 'url'")]
    [InlineData("infra/machine/cloud-init.yaml", "runcmd:", "runcmd: [", "cloud-init.yaml:")]
    [InlineData("Dockerfile", "USER 10001:10001", "USER root", "runs as root")]
    [InlineData("Dockerfile", "HEALTHCHECK", "# HEALTHCHECK", "needs HEALTHCHECK")]
    [InlineData("Dockerfile", "--from=runtime", "--from=sdk", "--from=sdk is no stage above")]
    [InlineData("Dockerfile", "infra/container/health", "infra/container/healthy", "is not there to be copied")]
    [InlineData("Dockerfile", "[\"/opt/jackdaw/Jackdaw.Server\"]", "/opt/jackdaw/Jackdaw.Server", "ENTRYPOINT must be a JSON array")]
    [InlineData("Dockerfile", "WORKDIR /source", "WORKDIRS /source", "Unknown instruction")]
    [InlineData("compose.yaml", "      - data:/var/lib/jackdaw", "      - date:/var/lib/jackdaw", "'date', which is not declared")]
    [InlineData("compose.yaml", "      kafka:\n        condition", "      kafkas:\n        condition", "'kafkas', which is not there")]
    [InlineData("compose.yaml", "service_healthy", "service_ready", "'service_ready'")]
    [InlineData("compose.yaml", "    restart: unless-stopped", "    restarts: unless-stopped", "'restarts' is not known")]
    [InlineData("compose.yaml", "127.0.0.1:8443:8443", "8443:8443", "beyond this machine")]
    [InlineData("compose.yaml", "image: rabbitmq:4.1", "image: rabbitmq", "needs a version")]
    [InlineData("compose.yaml", "  data:\n", "  data: {\n", "compose.yaml:")]
    [InlineData("compose.yaml", "      dockerfile: functions/Dockerfile", "      dockerfile: functions/Dockerfil", "no Dockerfile is")]
    [InlineData(
        "compose.yaml",
        "      dockerfile: functions/Dockerfile",
        "      dockerfiles: functions/Dockerfile",
        "'dockerfiles' is not known"
    )]
    [InlineData("compose.yaml", "      AccountsQueue:", "      AccountQueue:", "AccountsFromQueue needs the setting 'AccountsQueue'")]
    [InlineData("compose.yaml", "      Queues:", "      Queue:", "OrdersFromQueue needs the setting 'Queues'")]
    [InlineData("compose.yaml", "_OrdersFromKafka_", "_OrderFromKafka_", "there is no function 'OrderFromKafka'")]
    [InlineData("compose.yaml", "_OrdersFromRabbitMq_Disabled", "_OrdersFromRabbitMq_Off", "needs the setting 'RabbitMq'")]
    [InlineData("functions/Dockerfile", "CMD [", "# CMD [", "the last stage needs CMD")]
    [InlineData(
        "functions/Dockerfile",
        "[\"/usr/local/bin/functions-host\"]",
        "/usr/local/bin/functions-host",
        "ENTRYPOINT must be a JSON array"
    )]
    [InlineData("functions/Dockerfile", "container/functions-host", "container/function-host", "is not there to be copied")]
    public async Task A_mistake_is_found(string file, string text, string mistake, string found)
    {
        using var folder = new Folder();
        folder.CopyFromCheckout([.. s_checked, "src/EventStreams.Client/Trust", "Directory.Build.props", "Directory.Packages.props"]);
        var before = await CheckAsync(folder.Path, folder);
        Assert.True(before.ExitCode == 0, before.All);

        folder.Replace(file, text, mistake);
        var check = await CheckAsync(folder.Path, folder);

        Assert.Equal(1, check.ExitCode);
        Assert.Contains(found, check.Output, StringComparison.Ordinal);
    }

    private static async Task<Command> CheckAsync(string root, Folder folder)
    {
        var help = folder.At("help.txt");
        await File.WriteAllTextAsync(help, await ServerHelp.Text);
        return await NodeCheck.RunAsync("container.mjs", root, help);
    }
}

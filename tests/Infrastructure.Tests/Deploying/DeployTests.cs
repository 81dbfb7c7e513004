using System.IO.Compression;
using System.Text.Json;
using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Deploying;

/// <summary><c>./run deploy</c>, against a CLI that records what it is told.</summary>
public sealed class DeployTests : IDisposable
{
    private static readonly string[] s_deployment = ["--resource-group", "group", "--parameters", "dev", "--location", "westeurope"];

    private readonly FakeAzure _azure = new();

    public void Dispose() => _azure.Dispose();

    [ProgramFact("openssl")]
    public async Task A_first_deployment_makes_everything_in_order()
    {
        var deployed = await _azure.DeployAsync([.. s_deployment, "--database", "shop=ReadWrite"]);

        Assert.True(deployed.ExitCode == 0, deployed.All);
        Assert.Equal(
            [
                "group create",
                "provider register",
                "deployment group create",
                "keyvault certificate create",
                "keyvault certificate create",
                "functionapp config appsettings set",
                "storage blob upload",
                "vm run-command invoke",
                "vm run-command invoke",
                "functionapp deployment source config-zip",
            ],
            Changes()
        );
        Assert.Equal("true", _azure.Kept("new-machine"));
        Assert.Contains(_azure.Calls, call => call.Contains("Jackdaw__ServerPin=pin:", StringComparison.Ordinal));
        Assert.Contains(_azure.Calls, call => call.Contains(" shop:ReadWrite ", StringComparison.Ordinal));
    }

    [ProgramFact("openssl")]
    public async Task A_second_deployment_keeps_certificates_machine_and_package()
    {
        var first = await _azure.DeployAsync(s_deployment);
        Assert.True(first.ExitCode == 0, first.All);
        var package = Package();
        _azure.Forget();

        var second = await _azure.DeployAsync(s_deployment);

        Assert.True(second.ExitCode == 0, second.All);
        Assert.Equal(
            [
                "group create",
                "provider register",
                "deployment group create",
                "storage blob upload",
                "vm run-command invoke",
                "functionapp deployment source config-zip",
            ],
            Changes()
        );
        Assert.Equal("false", _azure.Kept("new-machine"));
        Assert.StartsWith("pin:", _azure.Kept("pin"), StringComparison.Ordinal);
        Assert.Equal(package, Package());
        Assert.Contains("holds for the-serverHostName already", second.Output, StringComparison.Ordinal);
    }

    [ProgramFact("openssl")]
    public async Task The_package_of_the_functions_is_a_whole_function_app_whose_program_the_host_may_execute()
    {
        var deployed = await _azure.DeployAsync([.. s_deployment, "--only", "infrastructure,packages,functions"]);
        Assert.True(deployed.ExitCode == 0, deployed.All);
        Assert.Contains(
            _azure.Calls,
            call => call.Contains("config-zip --resource-group group --name the-functionAppName --src ", StringComparison.Ordinal)
        );
        using var package = ZipFile.OpenRead(_azure.PathOf("functions.zip"));
        using var host = JsonDocument.Parse(package.GetEntry("host.json")!.Open());
        var program = host.RootElement.GetProperty("customHandler").GetProperty("description").GetProperty("defaultExecutablePath");
        var executable = package.GetEntry(program.GetString()!);
        Assert.NotNull(executable);
        var mode = (UnixFileMode)((executable.ExternalAttributes >> 16) & 0b1_1111_1111);
        Assert.True(mode.HasFlag(UnixFileMode.UserExecute | UnixFileMode.OtherExecute), mode.ToString());
        foreach (var function in Directory.EnumerateDirectories(Checkout.At("functions", "CustomHandler", "app")))
            Assert.NotNull(package.GetEntry($"{Path.GetFileName(function)}/function.json"));
    }

    [ProgramFact("openssl")]
    public async Task Renewed_certificates_keep_their_key_and_the_functions_cannot_pose_as_a_server()
    {
        await _azure.DeployAsync(s_deployment);

        using var server = JsonDocument.Parse(_azure.Kept("the-serverVaultName.json"));
        using var functions = JsonDocument.Parse(_azure.Kept("the-functionsVaultName.json"));
        foreach (var policy in new[] { server.RootElement, functions.RootElement })
        {
            Assert.True(policy.GetProperty("keyProperties").GetProperty("reuseKey").GetBoolean());
            Assert.Equal("AutoRenew", policy.GetProperty("lifetimeActions")[0].GetProperty("action").GetProperty("actionType").GetString());
        }
        var usages = functions.RootElement.GetProperty("x509CertificateProperties").GetProperty("ekus");
        Assert.Equal("1.3.6.1.5.5.7.3.2", Assert.Single(usages.EnumerateArray()).GetString());
    }

    [Fact]
    public async Task A_dry_run_asks_Azure_nothing_and_names_every_change()
    {
        var dry = await _azure.DeployAsync([.. s_deployment, "--dry-run"]);

        Assert.True(dry.ExitCode == 0, dry.All);
        Assert.Empty(_azure.Calls);
        foreach (
            var change in new[]
            {
                "az group create",
                "az deployment group create",
                "az keyvault certificate create",
                "dotnet publish src/Server",
                "dotnet publish functions/CustomHandler --configuration Release --runtime linux-x64 --self-contained",
                "az functionapp deployment source config-zip",
                "az vm run-command",
            }
        )
            Assert.Contains(change, dry.Output, StringComparison.Ordinal);
    }

    [ProgramFact("openssl")]
    public async Task A_server_that_does_not_get_ready_fails_the_deployment()
    {
        _azure.Keep("broken");
        var deployed = await _azure.DeployAsync(s_deployment);
        Assert.Equal(1, deployed.ExitCode);
        Assert.Contains("jackdaw-update did not succeed on the machine 'the-serverMachineName'", deployed.Errors, StringComparison.Ordinal);
        Assert.Contains("not ready", deployed.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("functions")]
    [InlineData("server")]
    public async Task A_step_without_the_infrastructure_that_it_needs_changes_nothing(string step)
    {
        var deployed = await _azure.DeployAsync("--resource-group", "group", "--parameters", "dev", "--only", step);
        Assert.Equal(1, deployed.ExitCode);
        Assert.Contains($"The step {step} needs the infrastructure", deployed.Errors, StringComparison.Ordinal);
        Assert.Empty(Changes());
    }

    [Fact]
    public async Task A_project_that_is_no_function_app_is_refused()
    {
        var deployed = await _azure.DeployAsync([.. s_deployment, "--only", "infrastructure,functions", "--app", "src/Server"]);
        Assert.Equal(1, deployed.ExitCode);
        Assert.Contains("'src/Server' is no project of a function app", deployed.Errors, StringComparison.Ordinal);
        Assert.DoesNotContain("functionapp deployment source config-zip", Changes());
    }

    [Fact]
    public async Task Who_is_not_logged_in_is_told_what_to_do()
    {
        _azure.Lose("logged-in");
        var deployed = await _azure.DeployAsync(s_deployment);
        Assert.Equal(1, deployed.ExitCode);
        Assert.Contains("run 'az login'", deployed.Errors, StringComparison.Ordinal);
        Assert.Equal("account show --output none", Assert.Single(_azure.Calls));
    }

    [Fact]
    public async Task Without_the_Azure_CLI_it_says_so()
    {
        using var folder = new Folder();
        foreach (var tool in new[] { "bash", "dirname", "mktemp", "rm" })
            File.CreateSymbolicLink(folder.At(tool), (await Command.MustAsync("sh", ["-c", $"command -v {tool}"])).Trim());
        var deployed = await Command.RunAsync(
            "/bin/bash",
            [Checkout.At("run"), "deploy", .. s_deployment],
            new Dictionary<string, string> { ["PATH"] = folder.Path }
        );
        Assert.Equal(1, deployed.ExitCode);
        Assert.Contains("The Azure CLI (az) is not installed", deployed.Errors, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--resource-group is missing", "--parameters", "dev")]
    [InlineData("--parameters is missing", "--resource-group", "group")]
    [InlineData("'servers' is no step", "--resource-group", "group", "--parameters", "dev", "--only", "servers")]
    [InlineData("not 'shop=Write'", "--resource-group", "group", "--parameters", "dev", "--database", "shop=Write")]
    [InlineData("not 'test'", "--resource-group", "group", "--parameters", "test")]
    [InlineData("'none.bicepparam' is not there", "--resource-group", "group", "--parameters", "none.bicepparam")]
    [InlineData("'run' is no certificate", "--resource-group", "group", "--parameters", "dev", "--administrator", "run")]
    [InlineData("no such project", "--resource-group", "group", "--parameters", "dev", "--app", "functions/None")]
    [InlineData("'--force' is not known", "--force")]
    [InlineData("--location needs a value", "--location")]
    public async Task A_wrong_command_line_is_refused(string message, params string[] arguments)
    {
        var deployed = await _azure.DeployAsync(arguments);
        Assert.Equal(2, deployed.ExitCode);
        Assert.Contains(message, deployed.Errors, StringComparison.Ordinal);
        Assert.Empty(_azure.Calls);
    }

    /// <summary>What was changed, without the questions: the words of each call before its options.</summary>
    private string[] Changes() =>
        [
            .. _azure
                .Calls.Where(call => !call.Contains(" show ", StringComparison.Ordinal))
                .Select(call => call[..call.IndexOf(" --", StringComparison.Ordinal)]),
        ];

    private string Package() =>
        _azure.Calls.Single(call => call.StartsWith("vm run-command", StringComparison.Ordinal)).Split("--parameters ")[1].Split(' ')[0];
}

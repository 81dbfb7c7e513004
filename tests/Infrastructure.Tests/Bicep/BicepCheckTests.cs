using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Bicep;

/// <summary>The Bicep files: names resolve across files, values are allowed ones, nothing secret is written down, and resources have
/// the properties that Azure knows.</summary>
public sealed class BicepCheckTests
{
    /// <summary>A checker with Azure's published types of resources, beside the checkout where it is there.</summary>
    private static readonly string s_types = Path.GetFullPath(Checkout.At("..", "shared", "bicep"));

    [Fact]
    public async Task Names_resolve_and_values_are_allowed()
    {
        var check = await CheckAsync(Checkout.Root);
        Assert.True(check.ExitCode == 0, check.All);
        Assert.Contains("11 Bicep files and 2 files of parameters", check.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("main.bicep", "    zone: zone\n    functionsPlan", "    functionsPlan", "needs the parameter 'zone'")]
    [InlineData("main.bicep", "    tags: allTags\n    retentionDays", "    tag: allTags\n    retentionDays", "has no parameter 'tag'")]
    [InlineData("main.bicep", "network.outputs.networkId", "network.outputs.id", "has no output 'id'")]
    [InlineData("main.bicep", "events!.outputs.delivery", "events!.outputs.deliveries", "has no output 'deliveries'")]
    [InlineData(
        "main.bicep",
        "delivery: eventHubsDelivery",
        "delivery: 'ExactlyOnce'",
        "'ExactlyOnce' is none of AtLeastOnce, Transactional"
    )]
    [InlineData("main.bicep", "modules/roles.bicep", "modules/role.bicep", "modules/role.bicep: is missing")]
    [InlineData("main.bicep", "addressSpace: addressSpace", "addressSpace: addressRange", "'addressRange' is not declared")]
    [InlineData("main.bicep", "claimCheckDays int = 14", "claimCheckDays int = 7", "7 is less than 8")]
    [InlineData("main.bicep", "publicAddress bool = false", "publicAddress bool = 'no'", "bool is wanted")]
    [InlineData("main.bicep", "param alertEmail", "param spare string = ''\nparam alertEmail", "'spare' is declared and not used")]
    [InlineData("main.bicep", "var port = 8443", "var port = 8443\nvar spare = 1", "'spare' is declared and not used")]
    [InlineData("main.bicep", "tags object = {}", "tags object = {", "syntax error")]
    [InlineData("modules/storage.bicep", "parent: messageQueues", "parent: queueService", "'queueService' is not declared")]
    [InlineData("modules/storage.bicep", "allowSharedKeyAccess: false", "allowSharedKeyAccess: true", "allowSharedKeyAccess must be false")]
    [InlineData("modules/storage.bicep", "map(subnetIds, subnetId =>", "map(subnetIds, id =>", "'subnetId' is not declared")]
    [InlineData(
        "modules/storage.bicep",
        "map(deployerAddressRanges, cidr => { value: cidr, action: 'Allow' })",
        "[for cidr in deployerAddressRanges: { value: cidr }]",
        "no for-expression here"
    )]
    [InlineData("modules/server.bicep", "systemd/jackdaw.service", "systemd/jackdaw.services", "is not there to be loaded")]
    [InlineData(
        "modules/network.bicep",
        "sourceAddressPrefixes: clientAddressRanges",
        "sourceAddressPrefix: '*'",
        "lets the whole internet in"
    )]
    [InlineData("modules/eventhubs.bicep", "output hostName", "output host", "has no output 'hostName'")]
    [InlineData("modules/functions.bicep", "value: hostStorageName }", "value: 'AccountKey=abc' }", "a key of a storage account")]
    [InlineData("modules/functions.bicep", "@description('Address of the server.')\n", "", "'serverUrl' needs a @description")]
    [InlineData("dev.bicepparam", "environmentName = 'dev'", "environmentName = 'test'", "'test' is none of dev, prod")]
    [InlineData("dev.bicepparam", "['queues', 'eventHubs']", "['queues', 'eventHub']", "'eventHub' is none of")]
    [InlineData("prod.bicepparam", "diskIops = 16000", "diskIops = 1600", "1600 is less than 3000")]
    [InlineData("prod.bicepparam", "param diskMBps", "param diskMbps", "has no parameter 'diskMbps'")]
    [InlineData(
        "prod.bicepparam",
        "param adminSshPublicKey = readEnvironmentVariable('JACKDAW_DEPLOY_SSH_KEY')\n",
        "",
        "needs the parameter 'adminSshPublicKey'"
    )]
    public async Task A_mistake_is_found(string file, string text, string mistake, string found)
    {
        using var folder = new Folder();
        folder.CopyFromCheckout("infra/bicep", "infra/machine", "infra/systemd");
        folder.Replace($"infra/bicep/{file}", text, mistake);

        var check = await CheckAsync(folder.Path);

        Assert.Equal(1, check.ExitCode);
        Assert.Contains(found, check.Output, StringComparison.Ordinal);
    }

    [TypesFact]
    public async Task Resources_have_the_properties_that_Azure_knows()
    {
        var check = await CheckTypesAsync(Checkout.At("infra", "bicep"));
        Assert.True(check.ExitCode == 0, check.All);
    }

    [TypesFact]
    public async Task A_property_that_Azure_does_not_know_is_found()
    {
        using var folder = new Folder();
        folder.CopyFromCheckout("infra/bicep");
        folder.Replace("infra/bicep/modules/server.bicep", "diskIOPSReadWrite:", "diskIopsReadWrite:");
        var check = await CheckTypesAsync(folder.At("infra", "bicep"));
        Assert.Equal(1, check.ExitCode);
        Assert.Contains("diskIopsReadWrite: unknown property", check.Output, StringComparison.Ordinal);
    }

    [ProgramFact("az")]
    public async Task Bicep_itself_builds_the_files_without_a_warning()
    {
        using var folder = new Folder();
        var built = await Command.RunAsync(
            "az",
            ["bicep", "build", "--file", Checkout.At("infra", "bicep", "main.bicep"), "--outfile", folder.At("main.json")]
        );
        Assert.True(built.ExitCode == 0 && !built.Errors.Contains("Warning", StringComparison.Ordinal), built.All);
        var linted = await Command.RunAsync("az", ["bicep", "lint", "--file", Checkout.At("infra", "bicep", "main.bicep")]);
        Assert.True(linted.ExitCode == 0 && !linted.All.Contains("Warning", StringComparison.Ordinal), linted.All);
    }

    private static Task<Command> CheckAsync(string root) =>
        NodeCheck.RunAsync("bicep.mjs", root, "infra/bicep/main.bicep", "infra/bicep/dev.bicepparam", "infra/bicep/prod.bicepparam");

    private static Task<Command> CheckTypesAsync(string folder) =>
        Command.RunAsync(
            "node",
            [
                Path.Combine(s_types, "check.mjs"),
                Path.Combine(s_types, "types"),
                .. Directory.EnumerateFiles(folder, "*.bicep", SearchOption.AllDirectories),
            ],
            folder: Checkout.At("infra", "checks")
        );

    /// <summary>A test that needs the types of Azure's resources.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    private sealed class TypesFactAttribute : FactAttribute
    {
        public TypesFactAttribute() =>
            Skip = File.Exists(Path.Combine(s_types, "check.mjs")) ? null : "The types of Azure's resources are not beside this checkout.";
    }
}

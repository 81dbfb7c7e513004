using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Functions.Tests.Queues;

/// <summary><c>run queues</c> with the login of the Azure CLI, which a script stands in for.</summary>
[Trait("Category", "Slow")]
public sealed class AzureCliTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-az-").FullName;

    [Fact]
    public async Task The_CLI_is_asked_for_a_token_of_storage()
    {
        var answer = """{"accessToken":"a token","expires_on":4102444800}""";
        var (code, errors) = await ListAsync($"echo \"$@\" >'{_folder}/called'; echo '{answer}'");
        Assert.Equal(1, code);
        // The token was taken: what fails is the connection.
        Assert.Contains("the storage account cannot be reached", errors, StringComparison.Ordinal);
        Assert.Equal(
            "account get-access-token --output json --scope https://storage.azure.com/.default",
            (await File.ReadAllTextAsync(Path.Combine(_folder, "called"))).Trim()
        );
    }

    [Fact]
    public async Task Who_is_not_logged_in_is_told_what_to_do()
    {
        var (code, errors) = await ListAsync("echo 'ERROR: Please run az login' >&2; exit 1");
        Assert.Equal(1, code);
        Assert.Contains("run 'az login'. It said: ERROR: Please run az login", errors, StringComparison.Ordinal);
        (code, errors) = await ListAsync("echo nonsense");
        Assert.Equal(1, code);
        Assert.Contains("answered something that is no token", errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_the_CLI_it_says_so()
    {
        var (code, errors) = await ListAsync(script: null);
        Assert.Equal(1, code);
        Assert.Contains("The Azure CLI (az) is not installed here", errors, StringComparison.Ordinal);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private async Task<(int Code, string Errors)> ListAsync(string? script)
    {
        var program = Path.Combine(_folder, "az");
        if (script is not null)
        {
            await File.WriteAllTextAsync(program, $"#!/bin/sh\n{script}\n");
            if (!OperatingSystem.IsWindows())
                File.SetUnixFileMode(program, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }
        // Nobody listens at that port.
        await using var command = ServerUnderTest.Launch(
            null,
            ["queues", "list", "--queue-service-uri", "https://127.0.0.1:9/", "--no-defaults"],
            new Dictionary<string, string> { ["PATH"] = $"{_folder}:/nonexistent" }
        );
        return (await command.WaitForExitAsync(), command.Errors);
    }
}

using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Services;

/// <summary>What is deployed: the published server, with certificates made as compose.yaml makes them.</summary>
public sealed class PublishedServer : IAsyncLifetime
{
    private readonly Folder _folder = new();

    internal string Path => _folder.Path;

    internal string At(params string[] parts) => _folder.At(parts);

    public async Task InitializeAsync()
    {
        await Command.MustAsync(
            "dotnet",
            ["publish", Checkout.At("src", "Server"), "-c", "Release", "--no-build", "-v", "q", "--nologo", "-o", At("app")]
        );
        await Command.MustAsync(Checkout.At("infra", "container", "make-certificates"), [At("certificates"), "functions"]);
    }

    public Task DisposeAsync()
    {
        _folder.Dispose();
        return Task.CompletedTask;
    }
}

using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Deploying;

/// <summary>An Azure CLI that records its calls and remembers what it was told to make.</summary>
internal sealed class FakeAzure : IDisposable
{
    private readonly Folder _folder = new();

    public FakeAzure() => File.WriteAllText(_folder.At("logged-in"), "");

    /// <summary>The calls since the last <see cref="Forget"/>, an argument list a line.</summary>
    public string[] Calls => File.Exists(_folder.At("calls")) ? File.ReadAllLines(_folder.At("calls")) : [];

    public void Forget() => File.Delete(_folder.At("calls"));

    /// <summary>Where the CLI keeps something.</summary>
    public string PathOf(string name) => _folder.At(name);

    /// <summary>What the CLI kept under a name.</summary>
    public string Kept(string name) => File.ReadAllText(_folder.At(name)).Trim();

    public void Keep(string name) => File.WriteAllText(_folder.At(name), "");

    public void Lose(string name) => File.Delete(_folder.At(name));

    /// <summary>Runs ./run deploy with this CLI in the place of Azure's.</summary>
    public async Task<Command> DeployAsync(params string[] arguments)
    {
        if (!File.Exists(_folder.At("certificate")))
        {
            await Command.MustAsync(Checkout.At("infra", "container", "make-certificates"), [_folder.At("made")]);
            await File.WriteAllTextAsync(
                _folder.At("certificate"),
                await Command.MustAsync("sh", ["-c", $"openssl x509 -in '{_folder.At("made", "server.crt")}' -outform der | base64 -w 0"])
            );
        }
        var fakes = Checkout.At("tests", "Infrastructure.Tests", "Deploying", "fakes");
        return await Command.RunAsync(
            Checkout.At("run"),
            ["deploy", .. arguments],
            new Dictionary<string, string>
            {
                ["FAKE_AZURE"] = _folder.Path,
                ["PATH"] = $"{fakes}:{Environment.GetEnvironmentVariable("PATH")}",
                ["JACKDAW_DEPLOY_SSH_KEY"] = "ssh-ed25519 AAAA operator",
                // The stand-ins of packages are there already, or not needed by the fake SDK.
                ["HOME"] = Environment.GetEnvironmentVariable("HOME") ?? _folder.Path,
            }
        );
    }

    public void Dispose() => _folder.Dispose();
}

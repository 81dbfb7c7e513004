using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Containers;

/// <summary>The image itself, where a Docker engine is.</summary>
[Trait("Category", "Slow")]
public sealed class ImageTests
{
    [DockerFact]
    public async Task The_image_runs_read_only_without_capabilities_gets_healthy_and_ends_well_when_it_is_stopped()
    {
        var name = $"jackdaw-test-{Guid.NewGuid():N}";
        try
        {
            await DockerAsync("build", "--tag", name, ".");
            await DockerAsync("volume", "create", name);
            await DockerAsync([
                .. new[]
                {
                    "run",
                    "--rm",
                    "--user",
                    "0:0",
                    "--volume",
                    $"{name}:/etc/jackdaw/certificates",
                    "--entrypoint",
                    "/bin/sh",
                    name,
                },
                "-euc",
                "make-certificates /etc/jackdaw/certificates && chown -R 10001:10001 /etc/jackdaw/certificates",
            ]);
            await DockerAsync([
                .. new[] { "run", "--detach", "--name", name, "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL" },
                .. new[] { "--volume", $"{name}:/etc/jackdaw/certificates:ro", name },
            ]);
            await Eventually.IsAsync(async () =>
                (await DockerAsync("inspect", "--format", "{{.State.Health.Status}}", name)).Trim() == "healthy"
            );
            await DockerAsync("stop", "-t", "10", name);
            // SIGKILL, after the ten seconds, would be 137.
            Assert.Equal("0", (await DockerAsync("inspect", "--format", "{{.State.ExitCode}}", name)).Trim());
        }
        finally
        {
            await Command.RunAsync("docker", ["rm", "--force", "--volumes", name]);
            await Command.RunAsync("docker", ["volume", "rm", "--force", name]);
            await Command.RunAsync("docker", ["rmi", "--force", name]);
        }
    }

    private static Task<string> DockerAsync(params string[] arguments) => Command.MustAsync("docker", arguments);
}

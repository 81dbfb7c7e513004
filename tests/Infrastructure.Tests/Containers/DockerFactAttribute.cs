using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Containers;

/// <summary>A test that builds and runs the image; skipped where there is no Docker engine.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class DockerFactAttribute : FactAttribute
{
    private static readonly Lazy<string?> s_whyNot = new(WhyNot);

    public DockerFactAttribute() => Skip = s_whyNot.Value;

    private static string? WhyNot()
    {
        if (!Command.IsInstalled("docker"))
            return "docker is not installed here.";
        var told = Command.RunAsync("docker", ["version", "--format", "{{.Server.Version}}"]).GetAwaiter().GetResult();
        return told.ExitCode == 0 ? null : "There is no Docker engine here.";
    }
}

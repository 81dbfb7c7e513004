using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Services;

/// <summary>A test that runs the server as another user in a mount namespace, for which it must be root and may mount; skipped,
/// with the reason, where it may not.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class SandboxFactAttribute : FactAttribute
{
    private static readonly Lazy<string?> s_whyNot = new(WhyNot);

    public SandboxFactAttribute() => Skip = s_whyNot.Value;

    private static string? WhyNot()
    {
        foreach (var program in new[] { "unshare", "setpriv", "mount" })
            if (!Command.IsInstalled(program))
                return $"{program} is not installed here.";
        var tried = Command.RunAsync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).GetAwaiter().GetResult();
        return tried.ExitCode == 0 ? null : $"A mount namespace cannot be made here: {tried.All.Trim()}";
    }
}

using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Security;

/// <summary>The folders into which copies may be written: those below the configured one.</summary>
internal static class CopyTarget
{
    /// <summary>Checks where a copy is to be written.</summary>
    /// <param name="folder">The folder that the client names.</param>
    /// <param name="below">The configured folder; null when none is.</param>
    /// <param name="isSecured">True for a server with certificates, where a folder must be configured.</param>
    /// <returns>The target, with every symbolic link on its way resolved.</returns>
    /// <exception cref="AccessDeniedException">The target lies elsewhere, or no folder is configured.</exception>
    public static string Require(string folder, string? below, bool isSecured)
    {
        if (below is null)
            return isSecured
                ? throw new AccessDeniedException(
                    $"No folder for copies is configured: set {KnownSettings.CopyFolder}, below which copies may be written, and start the "
                        + "server again."
                )
                : folder;
        // One name alone is meant as a folder below it.
        var target = Resolved(Path.GetFullPath(folder, below));
        var root = Resolved(Path.GetFullPath(below));
        if (target.StartsWith(root.TrimEnd('/') + "/", StringComparison.Ordinal) && target.Length > root.TrimEnd('/').Length + 1)
            return target;
        throw new AccessDeniedException(
            $"Copies may be written below the folder that {KnownSettings.CopyFolder} names only, and '{folder}' is not below it."
        );
    }

    /// <summary>The path without symbolic links, as far as it exists. A link that leads nowhere counts as where it leads.</summary>
    private static string Resolved(string path)
    {
        var resolved = "/";
        var links = 0;
        var parts = new Stack<string>(path.Split('/', StringSplitOptions.RemoveEmptyEntries).Reverse());
        while (parts.TryPop(out var part))
        {
            if (part == ".")
                continue;
            if (part == "..")
            {
                resolved = Path.GetDirectoryName(resolved) ?? "/";
                continue;
            }
            var next = Path.Combine(resolved, part);
            if (new FileInfo(next).LinkTarget is not { } link)
            {
                resolved = next;
                continue;
            }
            if (++links > MaxLinks)
                throw new AccessDeniedException($"The folder '{path}' has more than {MaxLinks} symbolic links on its way.");
            if (link.StartsWith('/'))
                resolved = "/";
            foreach (var step in link.Split('/', StringSplitOptions.RemoveEmptyEntries).Reverse())
                parts.Push(step);
        }
        return resolved;
    }

    /// <summary>As the kernel's own bound.</summary>
    private const int MaxLinks = 40;
}

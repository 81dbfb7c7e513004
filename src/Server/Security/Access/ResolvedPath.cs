namespace Jackdaw.Server.Security;

/// <summary>Paths without symbolic links, to be compared.</summary>
internal static class ResolvedPath
{
    /// <summary>As the kernel's own bound.</summary>
    public const int MaxLinks = 40;

    /// <summary>
    /// Returns an absolute path without symbolic links, as far as it exists: a link that leads nowhere counts as where it leads. Null
    /// where more than <see cref="MaxLinks"/> links are on the way.
    /// </summary>
    public static string? Of(string path)
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
                return null;
            if (link.StartsWith('/'))
                resolved = "/";
            foreach (var step in link.Split('/', StringSplitOptions.RemoveEmptyEntries).Reverse())
                parts.Push(step);
        }
        return resolved;
    }

    /// <summary>Returns whether a resolved path lies below a resolved folder; the folder itself does not.</summary>
    public static bool IsBelow(string path, string folder)
    {
        var start = folder.TrimEnd('/') + "/";
        return path.Length > start.Length && path.StartsWith(start, StringComparison.Ordinal);
    }
}

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
        if (ResolvedPath.IsBelow(target, Resolved(Path.GetFullPath(below))))
            return target;
        throw new AccessDeniedException(
            $"Copies may be written below the folder that {KnownSettings.CopyFolder} names only, and '{folder}' is not below it."
        );
    }

    private static string Resolved(string path) =>
        ResolvedPath.Of(path)
        ?? throw new AccessDeniedException($"The folder '{path}' has more than {ResolvedPath.MaxLinks} symbolic links on its way.");
}

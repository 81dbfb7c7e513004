namespace Jackdaw.Server.Hosting;

/// <summary>
/// The runtime looks for certificates below the home folder of the process's user before each first handshake of TLS, and fails where there
/// is none: for a user that the system does not know, as containers have, without the variable HOME.
/// </summary>
internal static class HomeFolder
{
    private const string Variable = "HOME";

    /// <summary>Nobody's home on Debian. The runtime finds no certificates there and writes nothing.</summary>
    private const string Nobodys = "/nonexistent";

    /// <summary>Gives the process a home folder where it has none. Call it before anything else.</summary>
    public static void Ensure()
    {
        if (
            Missing(Environment.GetEnvironmentVariable(Variable), Environment.GetFolderPath(Environment.SpecialFolder.UserProfile)) is
            { } home
        )
            Environment.SetEnvironmentVariable(Variable, home);
    }

    /// <summary>The home folder to take; null where the user has one.</summary>
    /// <param name="variable">The value of HOME.</param>
    /// <param name="profile">The runtime's own finding, which is the root of all folders where it finds none.</param>
    internal static string? Missing(string? variable, string profile) =>
        string.IsNullOrEmpty(variable) && profile is ("" or "/") ? Nobodys : null;
}

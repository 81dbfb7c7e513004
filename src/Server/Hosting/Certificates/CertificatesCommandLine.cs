using System.Globalization;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Hosting.Certificates;

/// <summary>The arguments of <c>run certificates …</c>.</summary>
internal sealed class CertificatesCommandLine(IReadOnlyList<string> arguments)
    : CommandArguments(arguments, s_switches, s_options, takesSettings: true)
{
    private const string NoRight = "None";
    private const int DefaultDays = 365;

    private static readonly string[] s_switches = ["--json", "--yes"];
    private static readonly string[] s_options =
    [
        .. ServerClientOptions.Names,
        "--name",
        "--out",
        "--password",
        "--days",
        "--clearance",
        "--database",
    ];

    /// <summary>Where the server is, and who asks.</summary>
    public ServerClientOptions Server => ServerClientOptions.Of(Option);

    /// <summary>How long a new certificate is valid.</summary>
    /// <exception cref="ConfigurationException">It is no number of days, or too large.</exception>
    public int Days
    {
        get
        {
            if (Option("--days") is not { } text)
                return DefaultDays;
            return
                int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var days)
                && days is > 0 and <= CertificateLimits.MaxValidityDays
                ? days
                : throw new ConfigurationException($"--days must be from 1 to {CertificateLimits.MaxValidityDays}, not '{text}'.");
        }
    }

    /// <summary>Null when it was not given.</summary>
    /// <exception cref="ConfigurationException">It is none.</exception>
    public Clearance? Clearance =>
        Option("--clearance") is not { } text ? null
        : Parse<Clearance>(text) is { } clearance ? clearance
        : throw new ConfigurationException($"--clearance must be ValidUser, Operator or ClusterAdmin, not '{text}'.");

    /// <summary>The rights that were given: <c>--database NAME=RIGHT</c>, several times or separated by commas.</summary>
    /// <exception cref="ConfigurationException">One is not of that form.</exception>
    public Dictionary<string, DatabaseRight> Rights() =>
        RightChanges()
            .Where(one => one.Value is not null)
            .ToDictionary(one => one.Key, one => one.Value!.Value, StringComparer.OrdinalIgnoreCase);

    /// <summary>Likewise; null for the right None, which takes one away.</summary>
    /// <exception cref="ConfigurationException">One is not of that form.</exception>
    public Dictionary<string, DatabaseRight?> RightChanges()
    {
        var rights = new Dictionary<string, DatabaseRight?>(StringComparer.OrdinalIgnoreCase);
        foreach (var value in All("--database"))
        foreach (var part in value.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            if (part.Split('=') is not [{ Length: > 0 } database, var text])
                throw new ConfigurationException($"--database must be NAME=Read, NAME=ReadWrite or NAME=Admin, not '{part}'.");
            rights[database] = text.Equals(NoRight, StringComparison.OrdinalIgnoreCase)
                ? null
                : Parse<DatabaseRight>(text)
                    ?? throw new ConfigurationException(
                        $"The right for the database '{database}' must be Read, ReadWrite, Admin or None, not '{text}'."
                    );
        }
        return rights;
    }

    private static T? Parse<T>(string text)
        where T : struct, Enum =>
        Enum.TryParse<T>(text, ignoreCase: true, out var value) && Enum.IsDefined(value) && !char.IsAsciiDigit(text[0]) ? value : null;
}

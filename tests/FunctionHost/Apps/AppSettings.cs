using System.Collections;

namespace Jackdaw.FunctionHost.Apps;

/// <summary>
/// The app settings: environment variables, whose names do not depend on case and whose section separator is <c>__</c> or <c>:</c>.
/// </summary>
public sealed class AppSettings
{
    private const string HostFilePrefix = "AzureFunctionsJobHost";
    private const string HostPrefix = "AzureWebJobs";

    private readonly Dictionary<string, string> _values = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Settings from names and values; a later one replaces an earlier one.</summary>
    public AppSettings(IEnumerable<KeyValuePair<string, string>> values)
    {
        foreach (var (name, value) in values)
            _values[Normalized(name)] = value;
    }

    /// <summary>The settings of this process.</summary>
    public static AppSettings OfThisProcess() =>
        new(
            Environment
                .GetEnvironmentVariables()
                .Cast<DictionaryEntry>()
                .Select(one => new KeyValuePair<string, string>((string)one.Key, (string?)one.Value ?? ""))
        );

    /// <summary>Every setting, for the handler's environment.</summary>
    public IReadOnlyDictionary<string, string> All => _values;

    /// <summary>Returns a setting; null where there is none, or it is empty.</summary>
    public string? Find(string name) => _values.TryGetValue(Normalized(name), out var value) && value.Length > 0 ? value : null;

    /// <summary>Returns what a connection's name stands for: <c>AzureWebJobs</c> with the name, else the name.</summary>
    public string? FindConnection(string name) => Find(HostPrefix + name) ?? Find(name);

    /// <summary>Returns what replaces a value of host.json, as <c>AzureFunctionsJobHost__extensions__queues__batchSize</c>; else
    /// null.</summary>
    public string? FindHostValue(string path) => Find($"{HostFilePrefix}__{path.Replace(".", "__", StringComparison.Ordinal)}");

    /// <summary>Whether a function is not started: <c>AzureWebJobs.Name.Disabled</c> or, where names of variables take no dots,
    /// <c>AzureWebJobs_Name_Disabled</c>.</summary>
    public bool IsDisabled(string function) =>
        IsTrue(Find($"{HostPrefix}.{function}.Disabled")) || IsTrue(Find($"{HostPrefix}_{function}_Disabled"));

    internal static bool IsTrue(string? value) => value is "1" || string.Equals(value, "true", StringComparison.OrdinalIgnoreCase);

    /// <summary>Replaces each <c>%NAME%</c> by the setting of that name. Throws <see cref="AppException"/> when there is none.</summary>
    /// <param name="text">The text of a binding.</param>
    /// <param name="place">The file and member that the text is from.</param>
    public string Resolve(string text, string place)
    {
        for (var begin = text.IndexOf('%', StringComparison.Ordinal); begin >= 0; )
        {
            var end = text.IndexOf('%', begin + 1);
            if (end < 0)
                throw new AppException($"{place} is '{text}', and its last '%' has no other one to end the setting's name.");
            var name = text[(begin + 1)..end];
            var value =
                Find(name)
                ?? throw new AppException($"{place} is '{text}', and there is no setting '{name}': set it in the environment of the host.");
            text = text[..begin] + value + text[(end + 1)..];
            begin = text.IndexOf('%', begin + value.Length);
        }
        return text;
    }

    private static string Normalized(string name) => name.Replace(":", "__", StringComparison.Ordinal);
}

using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace Jackdaw.Etl.Configuration;

/// <summary>What of a connection string must not be shown, and where it may lie instead.</summary>
internal static partial class Secrets
{
    public const string MaskText = "******";

    /// <summary>Members that say where secrets beside or below them are sent.</summary>
    private static readonly string[] s_addresses = ["BootstrapServers", "AuthorityHost", "EndpointSuffix", "sasl.oauthbearer.token.endpoint.url"];

    /// <summary>
    /// Hides secrets everywhere in an object: members with telling names, the parts of connection texts, and of addresses what stands before the host and what a query
    /// has (keys of functions and signatures of storage stand there).
    /// </summary>
    public static void Mask(JsonObject members)
    {
        foreach (var (name, value) in members.ToArray())
        {
            if (value is JsonObject inner)
                Mask(inner);
            else if (value is JsonArray list)
                foreach (var item in list.OfType<JsonObject>())
                    Mask(item);
            else if (value is JsonValue single && single.GetValueKind() is (JsonValueKind.String or JsonValueKind.Number) && single.ToString() is { Length: > 0 } text && Masked(name, text) is var shown && shown != text)
                members[name] = shown;
        }
    }

    /// <summary>
    /// Where an object has the mask, what the former one had in the same place is put back: clients write back what they have read. Not where an address beside it has changed:
    /// whoever may write a connection string could otherwise have a secret sent to a place of his own. Throws <see cref="InvalidConfigurationException"/> then.
    /// </summary>
    public static void Keep(JsonObject members, JsonObject former)
    {
        bool isMasked = members.ToJsonString().Contains(MaskText, StringComparison.Ordinal);
        if (isMasked && s_addresses.FirstOrDefault(name => AddressOf(members, name) != AddressOf(former, name)) is { } changed)
            throw new InvalidConfigurationException($"The '{changed}' of the connection string has changed, so its secrets must be given again in place of '{MaskText}'.");
        foreach (var (name, value) in members.ToArray())
        {
            if (value is JsonObject inner && former[name] is JsonObject formerInner)
            {
                Keep(inner, formerInner);
            }
            else if (value is JsonArray list && former[name] is JsonArray formerList)
            {
                foreach (var (item, formerItem) in list.Zip(formerList))
                    if (item is JsonObject one && formerItem is JsonObject formerOne)
                        Keep(one, formerOne);
            }
            else if (value is JsonValue single && single.TryGetValue(out string? text) && text.Contains(MaskText, StringComparison.Ordinal)
                && former[name] is JsonValue formerSingle && Masked(name, formerSingle.ToString()) == text)
            {
                // A number may be a secret, too.
                members[name] = formerSingle.DeepClone();
            }
        }
    }

    /// <summary>
    /// Replaces a whole text <c>${env:NAME}</c> or <c>${file:PATH}</c> by what it names (a file's text without the white space at its end). Throws
    /// <see cref="InvalidConfigurationException"/>.
    /// </summary>
    public static string Expand(string text)
    {
        var match = Reference().Match(text);
        if (!match.Success)
            return text;
        string name = match.Groups["name"].Value;
        if (match.Groups["kind"].Value == "env")
            return Environment.GetEnvironmentVariable(name) ?? throw new InvalidConfigurationException($"The environment variable '{name}', which a connection string names, is not set.");
        try
        {
            return File.ReadAllText(name).TrimEnd();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new InvalidConfigurationException($"The file '{name}', which a connection string names, cannot be read: {e.Message}");
        }
    }

    private static string? AddressOf(JsonObject members, string name) => members[name] is JsonValue value ? value.ToString() : null;

    private static string Masked(string name, string text)
    {
        if (Reference().IsMatch(text))
            return text;
        if (SecretName().IsMatch(name))
            return MaskText;
        text = UserInfo().Replace(SecretPart().Replace(text, "$1" + MaskText), "$1" + MaskText + "@");
        return text.Contains("://", StringComparison.Ordinal) ? QueryValue().Replace(text, "$1" + MaskText) : text;
    }

    [GeneratedRegex(@"\A\$\{(?<kind>env|file):(?<name>[^}]+)\}\z")]
    private static partial Regex Reference();

    [GeneratedRegex("secret|password|passphrase|token|credential|api-?key|access-?key|private[-_.]?key|key[-_.]pem", RegexOptions.IgnoreCase)]
    private static partial Regex SecretName();

    [GeneratedRegex("((?:AccountKey|SharedAccessKey|SharedAccessSignature|Password|Pwd|Secret)\\s*=\\s*)[^;]+", RegexOptions.IgnoreCase)]
    private static partial Regex SecretPart();

    [GeneratedRegex("([?&][^=&#\\s]+=)[^&#;\\s]+")]
    private static partial Regex QueryValue();

    // Up to the last @ before the path: a password may hold one.
    [GeneratedRegex("(://[^/:@\\s]*:)[^/\\s]+@")]
    private static partial Regex UserInfo();
}

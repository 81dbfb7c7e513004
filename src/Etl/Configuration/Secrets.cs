using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace Jackdaw.Etl.Configuration;

/// <summary>What of a connection string must not be shown, and where it may lie instead.</summary>
internal static partial class Secrets
{
    public const string MaskText = "******";

    /// <summary>Members that say where secrets beside or below them are sent, or who may read them on the way.</summary>
    private static readonly string[] s_addresses =
    [
        "BootstrapServers",
        "AuthorityHost",
        "EndpointSuffix",
        "sasl.oauthbearer.token.endpoint.url",
        "security.protocol",
        "sasl.mechanism",
        "sasl.mechanisms",
        "enable.ssl.certificate.verification",
        "ssl.endpoint.identification.algorithm",
        "ssl.ca.location",
        "ssl.ca.pem",
        "ssl.ca.certificate.stores",
    ];

    /// <summary>
    /// Hides secrets everywhere in an object: members with telling names and all that is below them, the parts of connection
    /// texts, and of addresses what stands before the host and what a query
    /// has (keys of functions and signatures of storage stand there).
    /// </summary>
    public static void Mask(JsonObject members) => Shown(members, "");

    /// <summary>
    /// Where an object has the mask, what the former one had in the same place is put back: clients write back what they have
    /// read. Not where an address beside it has changed:
    /// whoever may write a connection string could otherwise have a secret sent to a place of his own. Throws
    /// <see cref="InvalidConfigurationException"/> then.
    /// </summary>
    public static void Keep(JsonObject members, JsonObject former) => Keep(members, former, "");

    private static void Keep(JsonObject members, JsonObject former, string above)
    {
        bool isMasked = members.ToJsonString().Contains(MaskText, StringComparison.Ordinal);
        if (isMasked && s_addresses.FirstOrDefault(name => AddressOf(members, name) != AddressOf(former, name)) is { } changed)
            throw Changed(changed);
        if (isMasked && HostOf(members, former) != HostOf(former, former))
            throw Changed("Url");
        foreach (var (name, value) in members.ToArray())
        {
            if (Kept(value, former[name], NameBelow(above, name)) is { } kept)
                members[name] = kept;
        }
    }

    /// <summary>
    /// Replaces each reference <c>${env:NAME}</c> and <c>${file:PATH}</c> in a text by the value that it names, as it is (a file's
    /// text without the white space at its end). Throws <see cref="InvalidConfigurationException"/> for a reference that is not
    /// closed, has no name, names nothing, or what <paramref name="machine"/> refuses.
    /// </summary>
    public static string Expand(string text, IMachineSecrets machine) =>
        References().Replace(text, match => Referenced(match.Value, match, machine));

    private static string Referenced(string reference, Match match, IMachineSecrets machine)
    {
        string name = match.Groups["name"].Value;
        if (name.Length == 0 || !reference.EndsWith('}'))
            throw new InvalidConfigurationException("A connection string holds '${env:' or '${file:' without a name and a closing '}'.");
        if (match.Groups["kind"].Value == "env")
        {
            machine.RequireVariable(name);
            return Environment.GetEnvironmentVariable(name)
                ?? throw new InvalidConfigurationException(
                    $"The environment variable '{name}', which a connection string names, is not set."
                );
        }
        try
        {
            return Contents(machine.RequireFile(name), name);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new InvalidConfigurationException($"The file '{name}', which a connection string names, cannot be read: {e.Message}");
        }
    }

    private static string Contents(string path, string name)
    {
        using var file = File.OpenRead(path);
        byte[] bytes = new byte[EtlLimits.MaxSecretFileBytes + 1];
        int length = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
        if (length == bytes.Length)
            throw new InvalidConfigurationException(
                $"The file '{name}', which a connection string names, has more than {EtlLimits.MaxSecretFileBytes:N0} bytes (fixed limit)."
            );
        using var text = new StreamReader(new MemoryStream(bytes, 0, length));
        return text.ReadToEnd().TrimEnd();
    }

    /// <summary>What to show in a value's place; null: itself, in which what is below it has been hidden.</summary>
    /// <param name="value">Of any kind.</param>
    /// <param name="name">Of the member that it is the value of, or stands somewhere below.</param>
    private static JsonValue? Shown(JsonNode? value, string name)
    {
        switch (value)
        {
            case JsonObject inner:
                foreach (var (innerName, innerValue) in inner.ToArray())
                    if (Shown(innerValue, NameBelow(name, innerName)) is { } shown)
                        inner[innerName] = shown;
                return null;
            case JsonArray list:
                for (int i = 0; i < list.Count; i++)
                    if (Shown(list[i], name) is { } shown)
                        list[i] = shown;
                return null;
            case JsonValue single
                when single.GetValueKind() is JsonValueKind.String or JsonValueKind.Number
                    && single.ToString() is { Length: > 0 } text
                    && Masked(name, text) is var masked
                    && masked != text:
                return JsonValue.Create(masked);
            default:
                return null;
        }
    }

    /// <summary>What to put in a value's place, from the former one of the same place; null: nothing.</summary>
    private static JsonNode? Kept(JsonNode? value, JsonNode? former, string name)
    {
        switch (value, former)
        {
            case (JsonObject inner, JsonObject formerInner):
                Keep(inner, formerInner, name);
                return null;
            case (JsonArray list, JsonArray formerList):
                for (int i = 0; i < Math.Min(list.Count, formerList.Count); i++)
                    if (Kept(list[i], formerList[i], name) is { } kept)
                        list[i] = kept;
                return null;
            // A number may be a secret, too.
            case (JsonValue single, JsonValue formerSingle)
                when single.TryGetValue(out string? text)
                    && text.Contains(MaskText, StringComparison.Ordinal)
                    && Masked(name, formerSingle.ToString()) == text:
                return formerSingle.DeepClone();
            default:
                return null;
        }
    }

    /// <summary>Everything below a secret's name is one.</summary>
    private static string NameBelow(string name, string inner) => SecretName().IsMatch(name) ? name : inner;

    /// <summary>The scheme, host and port of a webhook; its path may change beside a masked secret.</summary>
    private static string? HostOf(JsonObject members, JsonObject former) =>
        AddressOf(members, "Url") switch
        {
            null => null,
            // Written back as it was shown.
            var shown when AddressOf(former, "Url") is { } known && shown == Masked("Url", known) => HostOf(known),
            var given => HostOf(given),
        };

    private static string HostOf(string address) =>
        address.IndexOf("://", StringComparison.Ordinal) is var scheme and >= 0
        && address.AsSpan(scheme + 3).IndexOfAny("/?#\\") is var length and >= 0
            ? address[..(scheme + 3 + length)]
            : address;

    private static InvalidConfigurationException Changed(string member) =>
        new($"The '{member}' of the connection string has changed, so its secrets must be given again in place of '{MaskText}'.");

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

    [GeneratedRegex(@"\$\{(?<kind>env|file):(?<name>[^}]*)\}?")]
    private static partial Regex References();

    [GeneratedRegex(
        "secret|password(?!less)|passphrase|token|credential|api-?key|access-?key|private[-_.]?key|key[-_.]pem",
        RegexOptions.IgnoreCase
    )]
    private static partial Regex SecretName();

    [GeneratedRegex("((?:AccountKey|SharedAccessKey|SharedAccessSignature|Password|Pwd|Secret)\\s*=\\s*)[^;]+", RegexOptions.IgnoreCase)]
    private static partial Regex SecretPart();

    [GeneratedRegex("([?&][^=&#\\s]+=)[^&#;\\s]+")]
    private static partial Regex QueryValue();

    // Up to the last @ before the path: a password may hold one. A user alone is as often a token.
    [GeneratedRegex("(://(?:[^/:@\\s]*:)?)[^/\\s]+@")]
    private static partial Regex UserInfo();
}

using Azure.Storage.Queues;
using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.AzureQueues;

/// <summary>Azure's own form of a connection string, looked at before its client library is given it, whose errors name no part.</summary>
internal static class AzureConnectionString
{
    private const string Form =
        "It should look like 'DefaultEndpointsProtocol=https;AccountName=…;AccountKey=…;EndpointSuffix=core.windows.net'.";

    /// <summary>Throws <see cref="InvalidConfigurationException"/> for a text that is none of a storage account with a way in.
    /// The message never shows it.</summary>
    /// <param name="text">The text.</param>
    /// <param name="needsBlobs">Must it lead to blobs too?</param>
    public static void Validate(string text, bool needsBlobs)
    {
        var parts = Parts(text);
        if (!parts.ContainsKey("UseDevelopmentStorage"))
        {
            bool hasKey = parts.TryGetValue("AccountKey", out string? key);
            if (hasKey && !Convert.TryFromBase64String(key!, new byte[key!.Length], out _))
                throw new InvalidConfigurationException($"The ConnectionString's AccountKey is no Base64. {Form}");
            if (!parts.ContainsKey("SharedAccessSignature") && !(hasKey && parts.ContainsKey("AccountName")))
                throw NotOne();
            RequireEndpoint(parts, "queue", "QueueEndpoint", "");
            if (needsBlobs)
                RequireEndpoint(parts, "blob", "BlobEndpoint", ", which the ClaimCheckContainer needs");
        }
        try
        {
            _ = new QueueServiceClient(text);
        }
        catch (Exception e) when (e is FormatException or ArgumentException or InvalidOperationException)
        {
            throw NotOne();
        }
    }

    private static Dictionary<string, string> Parts(string text)
    {
        var parts = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (string part in text.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            int at = part.IndexOf('=', StringComparison.Ordinal);
            if (at <= 0 || !parts.TryAdd(part[..at], part[(at + 1)..]))
                throw NotOne();
        }
        return parts;
    }

    /// <summary>Given, or to be made of the account's name.</summary>
    private static void RequireEndpoint(Dictionary<string, string> parts, string kind, string name, string why)
    {
        if (
            parts.TryGetValue(name, out string? address)
                ? !Uri.TryCreate(address, UriKind.Absolute, out var endpoint) || endpoint.Scheme is not ("http" or "https")
                : !parts.ContainsKey("AccountName")
        )
        {
            throw new InvalidConfigurationException($"The ConnectionString names no {kind} endpoint{why}. {Form}");
        }
    }

    private static InvalidConfigurationException NotOne() =>
        new($"The ConnectionString is not one of an Azure storage account with a key or a signature. {Form}");
}

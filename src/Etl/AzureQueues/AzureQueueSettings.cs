using Jackdaw.Etl.AzureIdentity;
using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.AzureQueues;

/// <summary>A storage account and how messages are put into its queues. Exactly one of the three ways to be let in is set.</summary>
internal sealed record AzureQueueSettings
{
    /// <summary>Of Azure's public cloud.</summary>
    public const string PublicEndpointSuffix = "core.windows.net";

    /// <summary>The protocol's longest and usual invisibility at first: seven days.</summary>
    private static readonly TimeSpan s_longestVisibilityTimeout = TimeSpan.FromDays(7);

    /// <summary>Azure's own form, with an account key or a shared access signature.</summary>
    public string? ConnectionString { get; init; }

    /// <summary>An application registration.</summary>
    public EntraIdSettings? EntraId { get; init; }

    /// <summary>The identity that Azure gives to this machine or app.</summary>
    public bool IsPasswordless { get; init; }

    /// <summary>Of an identity that a person assigned; null: the machine's or app's own. Only for <see cref="IsPasswordless"/>.</summary>
    public string? ManagedIdentityClientId { get; init; }

    /// <summary>Where its tokens are to be had; null: where the environment says.</summary>
    public ManagedIdentityEndpoint? ManagedIdentityEndpoint { get; init; }

    /// <summary>For <see cref="EntraId"/> and <see cref="IsPasswordless"/>.</summary>
    public string? AccountName { get; init; }

    /// <summary>Ends the account's host names: <c>‹account›.queue.‹suffix›</c>.</summary>
    public string EndpointSuffix { get; init; } = PublicEndpointSuffix;

    /// <summary>The blob container for data that is too large for a message; null: such a message is rejected.</summary>
    public string? ClaimCheckContainer { get; init; }

    /// <summary>Queues and the container must be there already.</summary>
    public bool SkipsDeclaration { get; init; }

    /// <summary>After which a message is gone although nobody took it; null: never.</summary>
    public TimeSpan? TimeToLive { get; init; }

    /// <summary>For which a new message is not seen.</summary>
    public TimeSpan VisibilityTimeout { get; init; }

    /// <summary>Of one request, answer included.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(15);

    /// <summary>Requests at once; of one key there is never more than one.</summary>
    public int MaxConcurrency { get; init; } = 16;

    /// <summary>Reads <c>AzureQueueStorageConnectionSettings</c>, secrets from the environment and files filled in. Throws
    /// <see cref="InvalidConfigurationException"/>.</summary>
    public static AzureQueueSettings Read(JsonMembers members, IMachineSecrets machine)
    {
        var entraId = members.Optional("EntraId");
        var passwordless = members.Optional("Passwordless");
        var timeToLive = members.Seconds("TimeToLiveInSec", -1);
        var settings = new AzureQueueSettings
        {
            ConnectionString = Expanded(members, "ConnectionString", machine),
            EntraId = entraId is null
                ? null
                : new EntraIdSettings
                {
                    TenantId = Secrets.Expand(entraId.RequiredText("TenantId"), machine),
                    ClientId = Secrets.Expand(entraId.RequiredText("ClientId"), machine),
                    ClientSecret = Secrets.Expand(entraId.RequiredText("ClientSecret"), machine),
                    AuthorityHost = Expanded(entraId, "AuthorityHost", machine) ?? EntraIdSettings.PublicAuthorityHost,
                },
            IsPasswordless = passwordless is not null,
            ManagedIdentityClientId = passwordless is null ? null : Expanded(passwordless, "ClientId", machine),
            AccountName = (entraId ?? passwordless)?.RequiredText("StorageAccountName"),
            EndpointSuffix = Expanded(members, "EndpointSuffix", machine) ?? PublicEndpointSuffix,
            ClaimCheckContainer = Expanded(members, "ClaimCheckContainer", machine),
            TimeToLive = timeToLive < TimeSpan.Zero ? null : timeToLive,
            VisibilityTimeout = members.Seconds("VisibilityTimeoutInSec", 0),
            Timeout = members.Seconds("TimeoutInSec", 15),
            MaxConcurrency = (int)members.Number("MaxConcurrency", 16),
        };
        settings.Validate();
        return settings;
    }

    /// <summary>Throws <see cref="InvalidConfigurationException"/>; the message never shows a secret.</summary>
    public void Validate()
    {
        int ways = (ConnectionString is null ? 0 : 1) + (EntraId is null ? 0 : 1) + (IsPasswordless ? 1 : 0);
        if (ways != 1)
            throw new InvalidConfigurationException(
                "AzureQueueStorageConnectionSettings must have exactly one of "
                    + $"'ConnectionString', 'EntraId' and 'Passwordless', not {ways}."
            );
        EntraId?.Validate();
        if (ConnectionString is not null)
            AzureConnectionString.Validate(ConnectionString, needsBlobs: ClaimCheckContainer is not null);
        else if (!AzureNames.IsAccount(AccountName!))
            throw new InvalidConfigurationException(
                $"The StorageAccountName '{AccountName}' must be 3 to 24 lower-case letters and digits."
            );
        if (Uri.CheckHostName("a." + EndpointSuffix) != UriHostNameType.Dns)
            throw new InvalidConfigurationException(
                $"The EndpointSuffix '{EndpointSuffix}' must be the end of a host name, such as '{PublicEndpointSuffix}'."
            );
        if (ClaimCheckContainer is not null && AzureNames.WhyNot(ClaimCheckContainer) is { } reason)
            throw new InvalidConfigurationException(
                $"The ClaimCheckContainer '{ClaimCheckContainer}' is no name for a blob container: {reason}"
            );
        if (TimeToLive < TimeSpan.FromSeconds(1))
            throw new InvalidConfigurationException(
                $"The TimeToLiveInSec must be -1 (never) or at least 1, not {TimeToLive.Value.TotalSeconds}."
            );
        if (VisibilityTimeout < TimeSpan.Zero || VisibilityTimeout > s_longestVisibilityTimeout || VisibilityTimeout >= TimeToLive)
            throw new InvalidConfigurationException(
                $"The VisibilityTimeoutInSec must be from 0 to {s_longestVisibilityTimeout.TotalSeconds} "
                    + $"and less than TimeToLiveInSec, not {VisibilityTimeout.TotalSeconds}."
            );
        if (Timeout <= TimeSpan.Zero || Timeout > TimeSpan.FromMinutes(10))
            throw new InvalidConfigurationException($"The TimeoutInSec must be above 0 and at most 600, not {Timeout.TotalSeconds}.");
        if (MaxConcurrency is < 1 or > 256)
            throw new InvalidConfigurationException($"The MaxConcurrency must be from 1 to 256, not {MaxConcurrency}.");
    }

    /// <summary>Without secrets.</summary>
    public override string ToString() => $"Azure queues of {AccountName ?? "a connection string"}";

    private static string? Expanded(JsonMembers members, string name, IMachineSecrets machine) =>
        members.Text(name)?.Trim() is { Length: > 0 } text ? Secrets.Expand(text, machine) : null;
}

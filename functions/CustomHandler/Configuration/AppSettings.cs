using System.Globalization;

namespace Jackdaw.Functions.CustomHandler.Configuration;

/// <summary>The settings of the function app, which the host hands over as environment variables. functions/README.md lists them.</summary>
internal sealed record AppSettings
{
    private const string Longest = "Jackdaw__LongestInvocation";
    private const string Grace = "Jackdaw__CancelGrace";
    private const string ContainerName = "DeadLetterContainer";
    private const string KeyVaultReference = "@Microsoft.KeyVault";
    private const int MinQueueName = 3;
    private const int MaxQueueName = 63;

    /// <summary>The server.</summary>
    public required Uri ServerUrl { get; init; }

    /// <summary>The client's certificate, a PFX in Base64; null: none.</summary>
    public string? ClientCertificate { get; init; }

    /// <summary>The pin of the server's public key; null: whatever this machine trusts.</summary>
    public string? ServerPin { get; init; }

    /// <summary>The database that messages come from.</summary>
    public required string SourceDatabase { get; init; }

    /// <summary>The database of the read model.</summary>
    public required string ReadModelDatabase { get; init; }

    /// <summary>The Azure queue of orders, to which dead letters of orders are sent again.</summary>
    public required string OrdersQueue { get; init; }

    /// <summary>The Azure queue of accounts, likewise.</summary>
    public required string AccountsQueue { get; init; }

    /// <summary>A connection string of the account of claim checks; null: see <see cref="ClaimChecksUri"/>.</summary>
    public string? ClaimChecks { get; init; }

    /// <summary>The account of claim checks, entered with the app's identity; null: there is none, or <see cref="ClaimChecks"/> names
    /// it.</summary>
    public Uri? ClaimChecksUri { get; init; }

    /// <summary>The identity that reads claim checks; null: the app's own.</summary>
    public string? ClaimChecksClientId { get; init; }

    /// <summary>The container for dead letters that are too large for a queue.</summary>
    public required string DeadLetterContainer { get; init; }

    /// <summary>How long an invocation waits for servers.</summary>
    public required TimeSpan LongestInvocation { get; init; }

    /// <summary>How long a handler may take to end once it has been cancelled.</summary>
    public required TimeSpan CancelGrace { get; init; }

    /// <summary>Reads the settings. Throws <see cref="SettingException"/>.</summary>
    /// <param name="variable">Reads an environment variable; null where there is none.</param>
    public static AppSettings Read(Func<string, string?> variable)
    {
        var settings = new Settings(variable);
        var url = settings.Address("Jackdaw__Url") ?? throw Settings.Missing("Jackdaw__Url", "the address of the server");
        var certificate = settings.Text("Jackdaw__ClientCertificate");
        if (certificate?.StartsWith(KeyVaultReference, StringComparison.Ordinal) == true)
            throw new SettingException(
                "The setting 'Jackdaw__ClientCertificate' is a reference to a key vault that was not resolved: see the app's key-vault "
                    + "references, and the role of its identity on the vault."
            );
        if (certificate is null && url.Scheme == Uri.UriSchemeHttps)
            throw Settings.Missing("Jackdaw__ClientCertificate", "a PFX in Base64, by which the server at https knows this app");
        // The host writes to it; without it the host would say so only when the first dead letter comes.
        settings.Queue("DeadLetterQueue");
        var claimChecks = settings.Text("ClaimChecks");
        return new AppSettings
        {
            ServerUrl = url,
            ClientCertificate = certificate,
            ServerPin = settings.Text("Jackdaw__ServerPin"),
            SourceDatabase = settings.Text("Jackdaw__SourceDatabase") ?? "shop",
            ReadModelDatabase = settings.Text("Jackdaw__ReadModelDatabase") ?? "views",
            OrdersQueue = settings.Required("OrdersQueue", "the queue, topic or event hub of orders"),
            AccountsQueue = settings.Required("AccountsQueue", "the queue, topic or event hub of accounts' events"),
            ClaimChecks = claimChecks,
            ClaimChecksUri = claimChecks is null ? settings.Address("ClaimChecks__blobServiceUri") : null,
            ClaimChecksClientId = settings.Text("ClaimChecks__clientId"),
            DeadLetterContainer = settings.Text(ContainerName) is null ? "dead-letters" : settings.Queue(ContainerName),
            LongestInvocation = settings.Seconds(Longest) ?? AppLimits.LongestInvocation,
            CancelGrace = settings.Seconds(Grace) ?? AppLimits.CancelGrace,
        };
    }

    /// <summary>Reads where the host sends invocations. Throws <see cref="SettingException"/>.</summary>
    public static int ReadPort(Func<string, string?> variable) =>
        new Settings(variable).Number("FUNCTIONS_CUSTOMHANDLER_PORT", 1, ushort.MaxValue)
        ?? throw new SettingException(
            "The setting 'FUNCTIONS_CUSTOMHANDLER_PORT' is missing. The Functions host sets it: start this app with 'func start', or with "
                + "another host of functions."
        );

    private sealed class Settings(Func<string, string?> variable)
    {
        public string? Text(string name) => variable(name)?.Trim() is { Length: > 0 } text ? text : null;

        public string Required(string name, string what) => Text(name) ?? throw Missing(name, what);

        public static SettingException Missing(string name, string what) => new($"The setting '{name}' is missing: {what}.");

        public Uri? Address(string name)
        {
            if (Text(name) is not { } text)
                return null;
            return
                Uri.TryCreate(text, UriKind.Absolute, out var address)
                && (address.Scheme == Uri.UriSchemeHttps || address.Scheme == Uri.UriSchemeHttp)
                && address.UserInfo.Length == 0
                && address.Query.Length == 0
                ? address
                : throw new SettingException($"The setting '{name}' must be an absolute http or https address without a query.");
        }

        public TimeSpan? Seconds(string name) => Number(name, 1, int.MaxValue / 1000) is { } seconds ? TimeSpan.FromSeconds(seconds) : null;

        public int? Number(string name, int min, int max)
        {
            if (Text(name) is not { } text)
                return null;
            return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number >= min && number <= max
                ? number
                : throw new SettingException($"The setting '{name}' is '{text}' and must be a number from {min} to {max}.");
        }

        /// <summary>Azure's rules for queues, which containers share.</summary>
        public string Queue(string name)
        {
            var text = Required(name, "the name of an Azure queue");
            return
                text.Length is >= MinQueueName and <= MaxQueueName
                && text.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '-')
                && text[0] != '-'
                && text[^1] != '-'
                && !text.Contains("--", StringComparison.Ordinal)
                ? text
                : throw new SettingException(
                    $"The setting '{name}' is '{text}', and Azure allows {MinQueueName} to {MaxQueueName} small letters, "
                        + "digits and single hyphens."
                );
        }
    }
}

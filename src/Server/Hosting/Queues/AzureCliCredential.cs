using System.ComponentModel;
using System.Diagnostics;
using System.Text.Json;
using Azure.Core;

namespace Jackdaw.Server.Hosting.Queues;

/// <summary>Tokens of whoever is logged in to the Azure CLI.</summary>
/// <param name="program">The CLI's name or path.</param>
internal sealed class AzureCliCredential(string program = "az") : TokenCredential
{
    /// <inheritdoc/>
    public override AccessToken GetToken(TokenRequestContext requestContext, CancellationToken cancellationToken) =>
        GetTokenAsync(requestContext, cancellationToken).AsTask().GetAwaiter().GetResult();

    /// <summary>Runs <c>az account get-access-token</c>.</summary>
    /// <exception cref="RefusedException">The CLI is not installed, or nobody is logged in.</exception>
    public override async ValueTask<AccessToken> GetTokenAsync(TokenRequestContext requestContext, CancellationToken cancellationToken)
    {
        var start = new ProcessStartInfo(
            program,
            ["account", "get-access-token", "--output", "json", "--scope", requestContext.Scopes.Single()]
        )
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        try
        {
            using var process = Process.Start(start)!;
            var error = process.StandardError.ReadToEndAsync(cancellationToken);
            var output = await process.StandardOutput.ReadToEndAsync(cancellationToken);
            await process.WaitForExitAsync(cancellationToken);
            if (process.ExitCode != 0)
                throw new RefusedException($"The Azure CLI gives no token; run 'az login'. It said: {(await error).Trim()}");
            using var json = JsonDocument.Parse(output);
            return new AccessToken(
                json.RootElement.GetProperty("accessToken").GetString()!,
                DateTimeOffset.FromUnixTimeSeconds(json.RootElement.GetProperty("expires_on").GetInt64())
            );
        }
        catch (Win32Exception e)
        {
            throw new RefusedException(
                "The Azure CLI (az) is not installed here. Install it and run 'az login', or name the account by --connection-string.",
                e
            );
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            throw new RefusedException("The Azure CLI answered something that is no token; it must be version 2.54 or later.", e);
        }
    }
}

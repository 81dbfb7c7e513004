using Azure.Core;

namespace Jackdaw.Etl.AzureIdentity;

/// <summary>Our tokens for Azure's client libraries. The errors of <see cref="AccessTokens.GetAsync"/> come through them
/// unchanged.</summary>
internal sealed class AccessTokenCredential(AccessTokens tokens) : TokenCredential
{
    private const string DefaultScope = "/.default";

    public override AccessToken GetToken(TokenRequestContext requestContext, CancellationToken cancellationToken) =>
        GetTokenAsync(requestContext, cancellationToken).AsTask().GetAwaiter().GetResult();

    public override async ValueTask<AccessToken> GetTokenAsync(TokenRequestContext requestContext, CancellationToken cancellationToken)
    {
        string scope = requestContext.Scopes.Single();
        string resource = scope.EndsWith(DefaultScope, StringComparison.Ordinal) ? scope[..^DefaultScope.Length] : scope;
        var grant = await tokens.GetAsync(resource, cancellationToken).ConfigureAwait(false);
        return new AccessToken(grant.Token, grant.ExpiresOn);
    }
}

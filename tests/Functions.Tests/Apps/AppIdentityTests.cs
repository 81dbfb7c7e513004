using System.Collections.Concurrent;
using System.Text;
using System.Text.Json.Nodes;
using Jackdaw.Brokers;
using Jackdaw.Functions.Tests.Queues;

namespace Jackdaw.Functions.Tests.Apps;

/// <summary>Tokens of the app's identity, from an endpoint that answers as Azure's documentation says.</summary>
[Trait("Category", "Slow")]
public sealed class AppIdentityTests
{
    [Fact]
    public async Task A_claim_check_by_identity_asks_for_a_token_of_the_named_identity()
    {
        var asked = new ConcurrentQueue<(string Query, string? Header)>();
        await using var identity = new HttpEndpoint(
            async (context, _) =>
            {
                asked.Enqueue((context.Request.Url!.Query, context.Request.Headers["X-IDENTITY-HEADER"]));
                // The first time it is not ready.
                if (asked.Count == 1)
                    context.Response.StatusCode = 500;
                else
                    await context.Response.OutputStream.WriteAsync(
                        Encoding.UTF8.GetBytes(
                            """{"access_token":"a token","expires_on":"4102444800","resource":"x","token_type":"Bearer"}"""
                        )
                    );
            },
            "msi/token/"
        );
        // Nobody listens there: what comes of the token is not seen here.
        var account = $"https://127.0.0.1:{LoopbackPort.Find()}/";
        await using var app = await FunctionAppUnderTest.StartAsync(
            FunctionAppUnderTest.Settings(
                ServerlessApp.NoServer,
                ("ClaimChecks__blobServiceUri", account),
                ("ClaimChecks__clientId", "the identity"),
                ("IDENTITY_ENDPOINT", identity.Url.ToString()),
                ("IDENTITY_HEADER", "a secret")
            )
        );
        var message = new JsonObject
        {
            ["specversion"] = "1.0",
            ["id"] = "1",
            ["source"] = "x",
            ["type"] = "ravendb.etl.put",
            ["subject"] = "orders/1",
            ["databaseid"] = "AAAA",
            ["etag"] = "1",
            ["dataref"] = $"{account}checks/x.json",
        };
        var handling = app.InvokeAsync("OrdersFromQueue", Letters.Base64(message.ToJsonString()));
        await Eventually.IsAsync(() => app.Output.Contains("The endpoint of the app's identity answered 500", StringComparison.Ordinal));
        await Eventually.IsAsync(() => asked.Count >= 2);
        Assert.Equal(
            ("?api-version=2019-08-01&resource=https%3A%2F%2Fstorage.azure.com&client_id=the%20identity", "a secret"),
            asked.First()
        );
        Assert.False(handling.IsCompleted);
        await app.TerminateAsync();
        Assert.Equal(503, (await handling).Status);
        Assert.DoesNotContain("a secret", app.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("a token", app.Output, StringComparison.Ordinal);
    }
}

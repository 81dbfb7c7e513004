using System.Net;
using System.Security.Authentication;
using System.Text.Json;
using Jackdaw.Brokers;
using Jackdaw.Etl.AzureIdentity;
using Jackdaw.Etl.AzureQueues;
using Xunit;

namespace Jackdaw.Etl.Tests.AzureQueues;

/// <summary>What each answer of Azure Storage does to a task.</summary>
public class AzureAnswerTests
{
    private const string Key = "aHVzaCwgdGhpcyBpcyB0aGUga2V5";

    private static readonly AzureQueueSettings s_settings = new()
    {
        ConnectionString = $"AccountName=shop;AccountKey={Key};EndpointSuffix=core.windows.net",
    };

    /// <summary>A scene with one document and a task that sends it to "Orders".</summary>
    private static async Task<Scene> StartAsync(
        HttpMessageHandler? handler,
        AzureQueueSettings? settings = null,
        string script = "loadToOrders(this);"
    )
    {
        var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{\"n\":1}");
        await scene.StartAsync(
            Scene.Configuration(Scene.Transform(script)),
            new AzureQueueSink(settings ?? s_settings, scene.Clock, handler)
        );
        return scene;
    }

    private static IEnumerable<string> Reasons(Scene scene) =>
        scene.DeadLetters().Select(letter => JsonDocument.Parse(letter).RootElement.GetProperty("Reason").GetString()!);

    private static void RunToPause(Scene scene)
    {
        while (scene.Task.RunStep() == TimeSpan.Zero) { }
    }

    [Theory]
    [InlineData(201, "", EtlTaskState.Idle, 0)]
    [InlineData(400, "InvalidXmlDocument", EtlTaskState.Idle, 1)]
    [InlineData(400, "InvalidXmlNodeValue", EtlTaskState.Idle, 1)]
    [InlineData(400, "MessageTooLarge", EtlTaskState.Idle, 1)]
    [InlineData(400, "InvalidResourceName", EtlTaskState.Idle, 1)]
    [InlineData(400, "OutOfRangeInput", EtlTaskState.Idle, 1)]
    [InlineData(400, "InvalidAuthenticationInfo", EtlTaskState.Stopped, 0)]
    // A version of the protocol that is not spoken here, an option of the connection, something between here and Azure: no
    // message is to blame.
    [InlineData(400, "InvalidHeaderValue", EtlTaskState.Stopped, 0)]
    [InlineData(400, "OutOfRangeQueryParameterValue", EtlTaskState.Stopped, 0)]
    [InlineData(400, "", EtlTaskState.Stopped, 0)]
    [InlineData(413, "RequestBodyTooLarge", EtlTaskState.Idle, 1)]
    [InlineData(401, "NoAuthenticationInformation", EtlTaskState.Stopped, 0)]
    [InlineData(403, "AuthenticationFailed", EtlTaskState.Stopped, 0)]
    [InlineData(404, "ResourceNotFound", EtlTaskState.Stopped, 0)]
    [InlineData(301, "", EtlTaskState.Stopped, 0)]
    [InlineData(405, "UnsupportedHttpVerb", EtlTaskState.Stopped, 0)]
    [InlineData(409, "QueueDisabled", EtlTaskState.Stopped, 0)]
    [InlineData(409, "QueueBeingDeleted", EtlTaskState.Waiting, 0)]
    [InlineData(408, "OperationTimedOut", EtlTaskState.Waiting, 0)]
    [InlineData(429, "TooManyRequests", EtlTaskState.Waiting, 0)]
    [InlineData(500, "InternalError", EtlTaskState.Waiting, 0)]
    [InlineData(503, "ServerBusy", EtlTaskState.Waiting, 0)]
    public async Task An_answer_is_the_fault_of_message_sink_or_task(int status, string code, EtlTaskState state, int deadLetters)
    {
        using var handler = new AnsweringHandler(_ => status == 201 ? AnsweringHandler.Take() : AnsweringHandler.Refuse(status, code));
        await using var scene = await StartAsync(handler);
        RunToPause(scene);
        Assert.Equal((state, deadLetters), (scene.Task.State, scene.DeadLetters().Length));
        Assert.Equal(state == EtlTaskState.Idle, scene.StoredPosition() > 0);
        // Nothing is tried again out of the task's sight.
        Assert.Equal("POST https://shop.queue.core.windows.net/orders/messages", Assert.Single(handler.Requests).Request);
        string? reason = state == EtlTaskState.Idle ? Reasons(scene).SingleOrDefault() : scene.Task.Status().Reason;
        if (status == 201)
            return;
        Assert.Contains(
            $"Sending to the queue 'orders': Azure answered {status}{(code.Length > 0 ? $" ({code})" : "")}: Said by Azure.",
            reason,
            StringComparison.Ordinal
        );
        Assert.DoesNotContain("RequestId", reason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(400, "InvalidHeaderValue", EtlTaskState.Stopped, 0)]
    [InlineData(400, "InvalidResourceName", EtlTaskState.Stopped, 0)]
    [InlineData(413, "RequestBodyTooLarge", EtlTaskState.Idle, 1)]
    public async Task A_refused_blob_is_the_messages_fault_only_for_its_size(int status, string code, EtlTaskState state, int deadLetters)
    {
        using var handler = new AnsweringHandler(_ => AnsweringHandler.Refuse(status, code));
        await using var scene = await StartAsync(
            handler,
            s_settings with
            {
                ClaimCheckContainer = "large",
            },
            "loadToOrders({ text: 'x'.repeat(60000) });"
        );
        RunToPause(scene);
        Assert.Equal((state, deadLetters), (scene.Task.State, scene.DeadLetters().Length));
        Assert.Contains(
            $"Writing to the blob container 'large': Azure answered {status} ({code})",
            Reasons(scene).SingleOrDefault() ?? scene.Task.Status().Reason,
            StringComparison.Ordinal
        );
    }

    /// <summary>A second more for each megabyte was granted, and the client library cut the upload at the time-out of a request
    /// without a body: it never succeeded over a slow line.</summary>
    [Fact]
    [Trait("Category", "Slow")]
    public async Task An_upload_has_its_time_also_behind_the_creation_of_its_container()
    {
        // Real time: what a machine that stands still in the middle of it cuts is tried anew, and an upload that does not have
        // its time fails each time.
        for (int i = 0; ; i++)
        {
            var (state, requests) = await UploadAsync();
            if (state == (EtlTaskState.Idle, null) || i == 4)
            {
                Assert.Equal((EtlTaskState.Idle, null), state);
                Assert.Equal(["PUT", "PUT", "PUT", "POST"], requests);
                return;
            }
        }
    }

    private static async Task<((EtlTaskState State, string? Reason) State, IEnumerable<string> Requests)> UploadAsync()
    {
        bool isThere = false;
        using var handler = new AnsweringHandler(request =>
        {
            if (request.Method == HttpMethod.Post)
                return AnsweringHandler.Take();
            bool isUpload = request.RequestUri!.AbsolutePath.Length > "/large".Length;
            if (isUpload && !isThere)
                return AnsweringHandler.Refuse(404, "ContainerNotFound");
            isThere = true;
            return AnsweringHandler.Written();
        })
        {
            Takes = request => TimeSpan.FromSeconds(request.Content?.Headers.ContentLength > 1_000_000 ? 1 : 0),
        };
        await using var scene = await StartAsync(
            handler,
            s_settings with
            {
                ClaimCheckContainer = "large",
                Timeout = TimeSpan.FromSeconds(0.4),
            },
            "loadToOrders({ text: 'x'.repeat(1 << 20) });"
        );
        RunToPause(scene);
        return ((scene.Task.State, scene.Task.Status().Reason), [.. handler.Requests.Select(request => request.Request.Split(' ')[0])]);
    }

    [Theory]
    [InlineData("Retry-After", "77", 77)]
    [InlineData("Retry-After", "Tue, 01 Jan 2030 00:01:30 GMT", 90)]
    [InlineData("x-ms-retry-after-ms", "61500", 61.5)]
    public async Task The_pause_that_Azure_asks_for_is_kept(string header, string value, double seconds)
    {
        using var handler = new AnsweringHandler(_ =>
        {
            var answer = AnsweringHandler.Refuse(503, "ServerBusy");
            answer.Headers.TryAddWithoutValidation(header, value);
            return answer;
        });
        await using var scene = await StartAsync(handler);
        Assert.Equal(TimeSpan.FromSeconds(seconds), scene.Task.RunStep());
    }

    [Theory]
    [InlineData("<html><body>Please log in.</body>")]
    [InlineData("")]
    public async Task What_is_not_Azure_stops_the_task(string page)
    {
        using var handler = new AnsweringHandler(_ => new HttpResponseMessage(HttpStatusCode.Created)
        {
            Content = new StringContent(page),
        });
        await using var scene = await StartAsync(handler);
        RunToPause(scene);
        Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
        Assert.Contains("what answered is not Azure", scene.Task.Status().Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_queue_that_is_not_there_is_declared_and_the_message_sent_in_the_same_attempt()
    {
        bool isThere = false;
        using var handler = new AnsweringHandler(request =>
        {
            if (request.Method == HttpMethod.Put)
            {
                isThere = true;
                return new HttpResponseMessage(HttpStatusCode.Created);
            }
            return isThere ? AnsweringHandler.Take() : AnsweringHandler.Refuse(404, "QueueNotFound");
        });
        await using var scene = await StartAsync(handler);
        RunToPause(scene);
        Assert.Equal((EtlTaskState.Idle, 1), (scene.Task.State, scene.StoredPosition()));
        const string Queue = "https://shop.queue.core.windows.net/orders";
        Assert.Equal(
            [$"POST {Queue}/messages", $"PUT {Queue}", $"POST {Queue}/messages"],
            handler.Requests.Select(request => request.Request)
        );
    }

    [Theory]
    [InlineData(403, "AuthorizationPermissionMismatch", EtlTaskState.Stopped)]
    [InlineData(409, "QueueBeingDeleted", EtlTaskState.Waiting)]
    [InlineData(400, "InvalidResourceName", EtlTaskState.Stopped)]
    public async Task A_refused_declaration_says_so(int status, string code, EtlTaskState state)
    {
        using var handler = new AnsweringHandler(request =>
            request.Method == HttpMethod.Put ? AnsweringHandler.Refuse(status, code) : AnsweringHandler.Refuse(404, "QueueNotFound")
        );
        await using var scene = await StartAsync(handler);
        RunToPause(scene);
        Assert.Equal(state, scene.Task.State);
        Assert.Contains(
            $"Declaring the queue 'orders': Azure answered {status} ({code})",
            scene.Task.Status().Reason,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_queue_that_vanishes_again_and_again_is_waited_out()
    {
        using var handler = new AnsweringHandler(request =>
            request.Method == HttpMethod.Put
                ? new HttpResponseMessage(HttpStatusCode.Created)
                : AnsweringHandler.Refuse(404, "QueueNotFound")
        );
        await using var scene = await StartAsync(handler);
        RunToPause(scene);
        Assert.Equal(EtlTaskState.Waiting, scene.Task.State);
        Assert.Contains("is not there", scene.Task.Status().Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_task_that_declares_nothing_stops_when_there_is_no_queue()
    {
        using var handler = new AnsweringHandler(_ => AnsweringHandler.Refuse(404, "QueueNotFound"));
        await using var scene = await StartAsync(handler, s_settings with { SkipsDeclaration = true });
        RunToPause(scene);
        Assert.Equal(
            (EtlTaskState.Stopped, "There is no queue 'orders', and the task declares none (SkipAutomaticQueueDeclaration)."),
            (scene.Task.State, scene.Task.Status().Reason)
        );
        Assert.Single(handler.Requests);
    }

    [Fact]
    public async Task An_untrusted_certificate_stops_the_task_and_a_missing_connection_is_waited_out()
    {
        using var untrusted = new AnsweringHandler(_ =>
            throw new HttpRequestException(
                "The SSL connection could not be established.",
                new AuthenticationException("The remote certificate is invalid.")
            )
        );
        await using (var scene = await StartAsync(untrusted))
        {
            RunToPause(scene);
            Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
            Assert.Contains(
                "no secure connection: The remote certificate is invalid.",
                scene.Task.Status().Reason,
                StringComparison.Ordinal
            );
        }
        int port = LoopbackPort.Find();
        await using (
            var scene = await StartAsync(
                null,
                s_settings with
                {
                    ConnectionString = $"AccountName=shop;AccountKey={Key};QueueEndpoint=http://127.0.0.1:{port}/shop",
                }
            )
        )
        {
            RunToPause(scene);
            Assert.Equal(EtlTaskState.Waiting, scene.Task.State);
            Assert.Contains("cannot be reached", scene.Task.Status().Reason, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_target_that_is_no_queue_is_a_dead_letter_with_the_rule()
    {
        using var handler = new AnsweringHandler(_ => AnsweringHandler.Take());
        await using var scene = await StartAsync(handler, script: "loadTo('order' + '_items', this);");
        RunToPause(scene);
        Assert.Contains(
            "'order_items' is no name for an Azure queue: Azure allows letters",
            Assert.Single(Reasons(scene)),
            StringComparison.Ordinal
        );
        Assert.Empty(handler.Requests);
    }

    [Fact]
    public async Task A_message_over_the_limit_without_a_claim_check_is_a_dead_letter_that_says_how_to_get_one()
    {
        using var handler = new AnsweringHandler(_ => AnsweringHandler.Take());
        await using var scene = await StartAsync(handler, script: "loadToOrders({ text: 'x'.repeat(49152) });");
        RunToPause(scene);
        string letter = Assert.Single(Reasons(scene));
        Assert.Contains("limit of 64 KiB", letter, StringComparison.Ordinal);
        Assert.Contains("ClaimCheckContainer", letter, StringComparison.Ordinal);
        Assert.Empty(handler.Requests);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_application_and_a_managed_identity_are_let_in_by_their_tokens(bool isPasswordless)
    {
        await using var login = new HttpStub(
            (_, _, response) => HttpStub.SayAsync(response, 200, """{"access_token":"t0ken","expires_in":3600}""")
        );
        var settings = new AzureQueueSettings
        {
            AccountName = "shop",
            EntraId = isPasswordless
                ? null
                : new EntraIdSettings
                {
                    TenantId = "t",
                    ClientId = "c",
                    ClientSecret = "s",
                    AuthorityHost = login.Url.ToString(),
                },
            IsPasswordless = isPasswordless,
            ManagedIdentityEndpoint = isPasswordless ? ManagedIdentityEndpoint.Machine(login.Url) : null,
            EndpointSuffix = "core.usgovcloudapi.net",
            ClaimCheckContainer = "large",
        };
        using var handler = new AnsweringHandler(request =>
            request.Method == HttpMethod.Put ? AnsweringHandler.Written() : AnsweringHandler.Take()
        );
        await using var scene = await StartAsync(handler, settings, "loadToOrders(this); loadToOrders({ text: 'x'.repeat(60000) });");
        RunToPause(scene);
        Assert.Equal((EtlTaskState.Idle, null), (scene.Task.State, scene.Task.Status().Reason));
        Assert.All(handler.Requests, request => Assert.Equal("Bearer t0ken", request.Authorization));
        Assert.Equal(
            2,
            handler.Requests.Count(request => request.Request == "POST https://shop.queue.core.usgovcloudapi.net/orders/messages")
        );
        var blob = Assert.Single(handler.Requests, request => request.Request.StartsWith("PUT", StringComparison.Ordinal));
        Assert.StartsWith("PUT https://shop.blob.core.usgovcloudapi.net/large/", blob.Request, StringComparison.Ordinal);
        Assert.Single(login.Requests);
    }

    [Theory]
    [InlineData(401, EtlTaskState.Stopped)]
    [InlineData(503, EtlTaskState.Waiting)]
    public async Task Without_a_token_the_task_stops_or_waits(int status, EtlTaskState state)
    {
        await using var login = new HttpStub(
            (_, _, response) => HttpStub.SayAsync(response, status, """{"error":"invalid_client","error_description":"Wrong secret."}""")
        );
        using var handler = new AnsweringHandler(_ => AnsweringHandler.Take());
        await using var scene = await StartAsync(
            handler,
            new AzureQueueSettings
            {
                AccountName = "shop",
                EntraId = new EntraIdSettings
                {
                    TenantId = "t",
                    ClientId = "c",
                    ClientSecret = "hush",
                    AuthorityHost = login.Url.ToString(),
                },
            }
        );
        RunToPause(scene);
        Assert.Equal(state, scene.Task.State);
        Assert.Equal($"The token endpoint of {login.Url.Authority} answered {status}: Wrong secret.", scene.Task.Status().Reason);
        Assert.Empty(handler.Requests);
    }
}

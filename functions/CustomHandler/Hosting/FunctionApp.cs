using Jackdaw.Functions.CustomHandler.Blobs;
using Jackdaw.Functions.CustomHandler.Configuration;
using Jackdaw.Functions.CustomHandler.Connecting;
using Jackdaw.Functions.CustomHandler.DeadLetters;
using Jackdaw.Functions.CustomHandler.Invoking;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Documents;
using Jackdaw.Functions.Handlers.Messages;
using Jackdaw.Functions.Handlers.Samples;
using Jackdaw.Functions.Handlers.Storing;
using Jackdaw.Functions.Handlers.Streams;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Jackdaw.Functions.CustomHandler.Hosting;

/// <summary>The web server that the Functions host calls, on loopback only. <see cref="OwnFunctions"/> adds others.</summary>
internal static class FunctionApp
{
    /// <summary>Builds the app. Throws <see cref="SettingException"/>.</summary>
    public static WebApplication Create(AppSettings settings, StopSignal stop, AppLog log, Action<OwnFunctions>? add = null)
    {
        var account = BlobAccount.Open(settings);
        IClaimChecks claimChecks = account is null ? new NoClaimChecks() : new BlobClaimChecks(account);
        var invoker = new Invoker(claimChecks, new BlobOversizeLetters(account), log, settings.LongestInvocation, stop);

        var builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { ContentRootPath = AppContext.BaseDirectory });
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = AppLimits.StopTimeout);
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Limits.MaxRequestBodySize = AppLimits.MaxInvocationBytes;
            kestrel.Limits.MaxConcurrentConnections = AppLimits.MaxConnections;
            kestrel.ListenLocalhost(settings.Port);
        });
        var app = builder.Build();
        app.Lifetime.ApplicationStopping.Register(stop.Begin);
        // The host asks until it gets any answer.
        app.MapGet("/", () => "Jackdaw's functions are ready.");
        foreach (var function in Functions(settings, ServerConnection.Open(settings), add))
            app.MapPost($"/{function.Name}", context => AnswerAsync(context, invoker, function, log));
        return app;
    }

    /// <summary>One consumer for each kind of message, however many transports bring it.</summary>
    private static IEnumerable<Function> Functions(AppSettings settings, HttpClient server, Action<OwnFunctions>? add)
    {
        var source = new JackdawDatabase(server, settings.SourceDatabase);
        var readModel = new JackdawDatabase(server, settings.ReadModelDatabase);
        var history = new SourceHistory(source, TimeProvider.System);
        var own = new OwnFunctions(source, readModel, history);
        add?.Invoke(own);
        return
        [
            .. OfEachTransport("Orders", settings.OrdersQueue, new DocumentConsumer(new OrderSummaries(version: 1), readModel, history)),
            .. OfEachTransport(
                "Accounts",
                settings.AccountsQueue,
                new StreamConsumer(new AccountBalances(version: 1), readModel, source, history)
            ),
            .. own.All,
        ];
    }

    private static IEnumerable<Function> OfEachTransport(string what, string queue, IMessageConsumer consumer) =>
        [
            new($"{what}FromQueue", "message", IsBatch: false, queue, consumer),
            new($"{what}FromKafka", "messages", IsBatch: true, queue, consumer),
            new($"{what}FromRabbitMq", "message", IsBatch: false, queue, consumer),
            new($"{what}FromEventHubs", "messages", IsBatch: true, queue, consumer),
        ];

    private static async Task AnswerAsync(HttpContext context, Invoker invoker, Function function, AppLog log)
    {
        try
        {
            using var body = new MemoryStream((int)Math.Min(context.Request.ContentLength ?? 0, AppLimits.MaxInvocationBytes));
            await context.Request.Body.CopyToAsync(body, context.RequestAborted);
            var answer = await invoker.InvokeAsync(function, body.GetBuffer().AsMemory(0, (int)body.Length), context.RequestAborted);
            context.Response.ContentType = "application/json; charset=utf-8";
            context.Response.ContentLength = answer.Length;
            await context.Response.Body.WriteAsync(answer, context.RequestAborted);
        }
        catch (InvocationException e)
        {
            log.Write($"{function.Name} failed: {e.Message}");
            await RefuseAsync(context, e.InnerException is OperationCanceledException ? 503 : 400, e.Message);
        }
        catch (BadHttpRequestException e)
        {
            var what =
                e.StatusCode == StatusCodes.Status413PayloadTooLarge
                    ? $"The invocation is larger than the limit of {AppLimits.MaxInvocationBytes >> 20} MB."
                    : e.Message;
            log.Write($"{function.Name} failed: {what}");
            await RefuseAsync(context, e.StatusCode, what);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            log.Write($"{function.Name} failed: The host has hung up; the messages are to be delivered again.");
        }
    }

    private static async Task RefuseAsync(HttpContext context, int status, string sentence)
    {
        if (context.Response.HasStarted || context.RequestAborted.IsCancellationRequested)
            return;
        context.Response.StatusCode = status;
        await context.Response.WriteAsync(sentence, CancellationToken.None);
    }
}

using Jackdaw.Functions.CustomHandler.Configuration;
using Jackdaw.Functions.CustomHandler.Invoking;
using Jackdaw.Functions.CustomHandler.Running;
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
    public static WebApplication Create(AppSettings settings, int port, StopSignal stop, AppLog log, Action<OwnFunctions>? add = null)
    {
        var functions = FunctionSet.Open(settings, add);
        var invoker = Invoker.Open(settings, stop, log);
        var builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { ContentRootPath = AppContext.BaseDirectory });
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = AppLimits.StopTimeout);
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Limits.MaxRequestBodySize = AppLimits.MaxInvocationBytes;
            kestrel.Limits.MaxConcurrentConnections = AppLimits.MaxConnections;
            kestrel.ListenLocalhost(port);
        });
        var app = builder.Build();
        app.Lifetime.ApplicationStopping.Register(stop.Begin);
        // The host asks until it gets any answer.
        app.MapGet("/", () => "Jackdaw's functions are ready.");
        foreach (var function in functions)
            app.MapPost($"/{function.Name}", context => AnswerAsync(context, invoker, function, log));
        return app;
    }

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

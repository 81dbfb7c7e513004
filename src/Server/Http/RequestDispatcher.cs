using System.Text.Json;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Abstractions;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;

namespace Jackdaw.Server.Http;

/// <summary>
/// What Kestrel calls for each request, without the hosting layers between: finds the route, runs its handler, and translates
/// what it throws.
/// </summary>
internal sealed partial class RequestDispatcher : IHttpApplication<RequestContext>
{
    /// <summary>Of an answer inside another one; what is more is staged, as the outer answer holds memory, too.</summary>
    private const int InnerAnswerMemoryBytes = 1024 * 1024;

    private const string ClientVersionHeader = "Raven-Client-Version";

    private static readonly StringValues VersionHeader = new(ProtocolVersion.Full);

    private static readonly StringValues CloseHeader = new("close");

    private readonly ServerState _server;
    private readonly Router _router;
    private readonly ILogger _logger;

    public RequestDispatcher(ServerState server, Router router, ILogger logger)
    {
        _server = server;
        _router = router;
        _logger = logger;
    }

    public RequestContext CreateContext(IFeatureCollection contextFeatures)
    {
        RequestContext context;
        if (contextFeatures is IHostContextContainer<RequestContext> container)
            context = container.HostContext ??= new RequestContext(_server);
        else
            context = new RequestContext(_server);
        context.Begin(contextFeatures);
        return context;
    }

    public async Task ProcessRequestAsync(RequestContext context)
    {
        context.Http.Response.Headers["Raven-Server-Version"] = VersionHeader;
        try
        {
            await Route(context);
            context.Audit(refusal: null);
        }
        catch (Exception e)
            when (context.Http.RequestAborted.IsCancellationRequested
                && e is OperationCanceledException or ConnectionAbortedException or ConnectionResetException
            )
        {
            // The client went away; there is nobody to tell. What it began may have been done all the same.
            context.Audit(refusal: null);
        }
        catch (Exception e)
        {
            try
            {
                await AnswerAsync(context, e);
            }
            finally
            {
                context.Audit(e as AccessDeniedException);
            }
        }
    }

    /// <summary>Answers a request that came inside another one, as if the same client had sent it alone.</summary>
    public async Task<InnerAnswer> AnswerInnerAsync(InnerRequest inner, RequestContext outer)
    {
        using var content = new MemoryStream(inner.Content, writable: false);
        var answer = new ResponseBuffer(_server.StageAnswer, InnerAnswerMemoryBytes);
        using var body = new InnerAnswerStream(answer, _server.Configuration.Limits.MaxInnerAnswerBytes);
        var features = new FeatureCollection();
        features.Set<IHttpRequestFeature>(
            new HttpRequestFeature
            {
                Method = inner.Method,
                Path = inner.Path,
                QueryString = inner.Query,
                Body = content,
                Protocol = "HTTP/1.1",
                Scheme = "http",
            }
        );
        features.Set<IHttpResponseFeature>(new HttpResponseFeature());
        features.Set<IHttpResponseBodyFeature>(new StreamResponseBodyFeature(body));
        features.Set<IHttpRequestLifetimeFeature>(new HttpRequestLifetimeFeature { RequestAborted = outer.Aborted });
        var context = new RequestContext(_server) { InnerAnswer = answer };
        context.Begin(features);
        context.ActFor(outer);
        try
        {
            context.Request.Headers[ClientVersionHeader] = outer.Request.Headers[ClientVersionHeader];
            foreach (var (name, value) in inner.Headers)
                context.Request.Headers[name] = value;
            context.Request.Headers.AcceptEncoding = default;
            await ProcessRequestAsync(context);
            await context.Http.Response.BodyWriter.CompleteAsync();
            var headers = context.Http.Response.Headers.Select(h => KeyValuePair.Create(h.Key, h.Value.ToString())).ToList();
            return new InnerAnswer(context.Http.Response.StatusCode, headers, answer);
        }
        catch
        {
            answer.Reset();
            throw;
        }
        finally
        {
            context.End();
        }
    }

    public void DisposeContext(RequestContext context, Exception? exception) => context.End();

    private Task Route(RequestContext context)
    {
        if (!context.IsInner)
            context.RequireOwnPage();
        var path = context.Request.Path.Value ?? "/";
        var route = _router.Find(path, out var database);
        var method = route?.Find(context.Request.Method);
        // Only probes are answered before the client is known, so nobody else learns even which routes there are.
        if (method is { Right: RequiredRight.Anyone })
            context.RenewUnknown();
        else if (!context.IsInner)
            context.Identify();
        if (route is null)
            throw new RouteNotFoundException(context.Request.Method, path);
        if (method is null)
            throw new MethodNotAllowedException(context.Request.Method, path, route.Methods);
        context.SetDatabaseName(database);
        context.Require(method);
        if (context.IsAdministrative)
            context.TakeAuditPlace();
        if (context.IsInner && context.IsAdministrative)
            throw new BadRequestException($"A multi_get holds reads: send {context.Request.Method} {path} by itself.");
        return database.IsEmpty || _server.Databases.IsOpenOrCannotBe(database)
            ? method.Handler(context)
            : OpenAndHandleAsync(context, method.Handler, database.ToString());
    }

    /// <summary>The database has not been asked for since the start: the request waits while it is opened, and holds no thread.</summary>
    private async Task OpenAndHandleAsync(RequestContext context, RequestHandler handler, string database)
    {
        await _server.Databases.OpenAsync(database);
        await handler(context);
    }

    private async Task AnswerAsync(RequestContext context, Exception exception)
    {
        var answer = ErrorTranslation.Translate(exception);
        if (answer.IsUnexpected)
            LogUnexpected(_logger, context.Request.Method, context.Request.Path.Value, exception);
        var response = context.Http.Response;
        if (response.HasStarted)
        {
            // Half an answer is out: only a broken connection still tells the client that it is not whole.
            LogCutShort(_logger, context.Request.Method, context.Request.Path.Value, exception);
            context.Http.Abort();
            return;
        }
        context.InnerAnswer?.Clear();
        response.Headers.ETag = default;
        response.Headers.ContentEncoding = default;
        if (context.IsUnknown)
            response.Headers.Connection = CloseHeader;
        foreach (var (name, value) in answer.Headers)
            response.Headers[name] = value;
        // No body tells the client of a HEAD what another status would mean.
        if (HttpMethods.IsHead(context.Request.Method))
            await context.SendEmptyAsync(answer.Status);
        else
            await context.SendJsonAsync(
                json => Write(json, context, answer, exception),
                IsFromClient(context.Request) ? answer.ClientStatus ?? answer.Status : answer.Status
            );
    }

    /// <summary>Clients of the protocol say their version; curl and others do not.</summary>
    private static bool IsFromClient(HttpRequest request) => request.Headers.ContainsKey(ClientVersionHeader);

    private static void Write(Utf8JsonWriter json, RequestContext context, ErrorAnswer answer, Exception exception)
    {
        json.WriteStartObject();
        json.WriteString("Url", context.Request.Path.Value + context.Request.QueryString.Value);
        json.WriteString("Type", answer.Type);
        json.WriteString("Message", answer.Message);
        json.WriteString("Error", answer.IsUnexpected ? exception.ToString() : $"{answer.Type}: {answer.Message}");
        foreach (var (name, value) in answer.Fields)
            json.WriteString(name, value);
        json.WriteEndObject();
    }

    [LoggerMessage(Level = LogLevel.Error, Message = "{Method} {Path} failed unexpectedly")]
    private static partial void LogUnexpected(ILogger logger, string method, string? path, Exception exception);

    [LoggerMessage(Level = LogLevel.Warning, Message = "{Method} {Path} was cut short after its answer had begun")]
    private static partial void LogCutShort(ILogger logger, string method, string? path, Exception exception);
}

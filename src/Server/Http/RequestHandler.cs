namespace Jackdaw.Server.Http;

/// <summary>Answers one request. Errors are thrown; they are translated once, in <see cref="RequestDispatcher"/>.</summary>
internal delegate Task RequestHandler(RequestContext request);

using Jackdaw.Server.Security;

namespace Jackdaw.Server.Http;

/// <summary>One method of a route.</summary>
/// <param name="Method">E.g. <c>GET</c>.</param>
/// <param name="Right">What the client needs before the handler is called.</param>
/// <param name="Handler">Answers the request.</param>
internal sealed record RouteMethod(string Method, RequiredRight Right, RequestHandler Handler);

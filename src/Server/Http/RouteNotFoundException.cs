namespace Jackdaw.Server.Http;

/// <summary>No endpoint has this path; answered with 404.</summary>
public sealed class RouteNotFoundException : Exception
{
    public RouteNotFoundException(string method, string path)
        : base($"There is no route for {method} {path}.") { }
}

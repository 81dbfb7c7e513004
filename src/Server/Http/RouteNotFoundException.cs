namespace Jackdaw.Server.Http;

/// <summary>No endpoint has this path; answered with 404.</summary>
public sealed class RouteNotFoundException : Exception
{
    /// <summary>Creates the error.</summary>
    public RouteNotFoundException(string method, string path)
        : base($"There is no route for {method} {path}.") { }
}

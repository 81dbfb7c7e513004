namespace Jackdaw.Server.Http;

/// <summary>A path with its handlers by method. A path has a handful of methods at most, so they are searched one after the
/// other.</summary>
internal sealed class Route
{
    private readonly List<(string Method, RequestHandler Handler)> _handlers = [];

    public Route(string path) => Path = path;

    public string Path { get; }

    /// <summary>For the <c>Allow</c> header.</summary>
    public string Methods => string.Join(", ", _handlers.Select(h => h.Method));

    public void Add(string method, RequestHandler handler)
    {
        if (Find(method) is not null)
            throw new InvalidOperationException($"{method} {Path} is mapped twice.");
        _handlers.Add((method, handler));
    }

    public RequestHandler? Find(string method)
    {
        foreach (var (known, handler) in _handlers)
            if (string.Equals(known, method, StringComparison.OrdinalIgnoreCase))
                return handler;
        return null;
    }
}

namespace Jackdaw.Server.Http;

/// <summary>A path with its handlers by method. A path has a handful of methods at most, so they are searched one after the
/// other.</summary>
internal sealed class Route
{
    private readonly List<RouteMethod> _methods = [];

    public Route(string path) => Path = path;

    public string Path { get; }

    /// <summary>For the <c>Allow</c> header.</summary>
    public string Methods => string.Join(", ", _methods.Select(one => one.Method));

    /// <summary>What is mapped, for tests that go through all of it.</summary>
    public IReadOnlyList<RouteMethod> All => _methods;

    public void Add(RouteMethod method)
    {
        if (Find(method.Method) is not null)
            throw new InvalidOperationException($"{method.Method} {Path} is mapped twice.");
        _methods.Add(method);
    }

    public RouteMethod? Find(string method)
    {
        foreach (var known in _methods)
            if (string.Equals(known.Method, method, StringComparison.OrdinalIgnoreCase))
                return known;
        return null;
    }
}

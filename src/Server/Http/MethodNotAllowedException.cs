namespace Jackdaw.Server.Http;

/// <summary>The path exists, but not with this method; answered with 405 and an <c>Allow</c> header.</summary>
public sealed class MethodNotAllowedException : Exception
{
    /// <summary>Creates the error; <paramref name="allowed"/> lists the methods of the path.</summary>
    public MethodNotAllowedException(string method, string path, string allowed)
        : base($"{path} does not take {method}; it takes {allowed}.") => Allowed = allowed;

    /// <summary>Comma-separated methods.</summary>
    public string Allowed { get; }
}

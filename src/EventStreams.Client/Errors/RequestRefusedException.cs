using System.Net;

namespace Jackdaw.EventStreams.Client.Errors;

/// <summary>The server answered with an error status. Its message is part of this one's.</summary>
public sealed class RequestRefusedException : EventStreamsException
{
    internal RequestRefusedException(HttpStatusCode status, string type, string message)
        : base(message) => (Status, Type) = (status, type);

    /// <summary>The status of the answer.</summary>
    public HttpStatusCode Status { get; }

    /// <summary>The server's name of the error; empty when the answer has none.</summary>
    public string Type { get; }

    /// <summary>
    /// True when the same request can succeed later: 408, 429, and 5xx except those which say that the server cannot do this at all.
    /// </summary>
    internal bool IsPassing =>
        Status
            is HttpStatusCode.RequestTimeout
                or HttpStatusCode.TooManyRequests
                or >= HttpStatusCode.InternalServerError
                and not (HttpStatusCode.NotImplemented or HttpStatusCode.HttpVersionNotSupported);

    /// <summary>True when the cause is what the request carries, and not who sends it where.</summary>
    internal bool ConcernsContent => Status is HttpStatusCode.BadRequest or HttpStatusCode.RequestEntityTooLarge;
}

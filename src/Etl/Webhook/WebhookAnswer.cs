using System.Net;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Webhook;

/// <summary>What an endpoint's answer means; the table is in docs/etl-errors.md.</summary>
internal static class WebhookAnswer
{
    /// <summary>Null: confirmed. A text: the message is rejected. Throws <see cref="SinkException"/> for faults of the task and
    /// of the sink.</summary>
    /// <param name="status">The answer's status.</param>
    /// <param name="url">Where.</param>
    /// <param name="said">The beginning of the answer's body.</param>
    /// <param name="retryAfter">The pause that it asked for.</param>
    public static string? Classify(HttpStatusCode status, Uri url, string said, TimeSpan? retryAfter)
    {
        int code = (int)status;
        // Not the path: of many endpoints it is the secret.
        string what = $"{url.Authority} answered {code}{(said.Length > 0 ? $": {said}" : ".")}";
        switch (code)
        {
            case >= 200 and < 300:
                return null;
            case 400 or 406 or 409 or 413 or 414 or 415 or 422 or 431:
                return what;
            case 408 or 425 or 429 or >= 500:
                throw new SinkException(SinkFault.Sink, what, retryAfter: retryAfter);
            default:
                // Redirections (not followed), 401, 403, 404, 405, 410 and what else means that the endpoint is not the right one.
                throw new SinkException(SinkFault.Task, what);
        }
    }
}

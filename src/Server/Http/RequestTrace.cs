using Jackdaw.Documents;
using Jackdaw.Documents.Commands;

namespace Jackdaw.Server.Http;

/// <summary>The caller's trace, for the messages that its writes become.</summary>
internal static class RequestTrace
{
    /// <summary>Of the header <c>traceparent</c>; null without a valid one, or when nobody wants to know.</summary>
    public static TraceParent? Trace(this RequestContext request, Database database) =>
        database.WantsTraces && TraceParent.TryParse(request.Request.Headers.TraceParent, out var trace) ? trace : null;
}

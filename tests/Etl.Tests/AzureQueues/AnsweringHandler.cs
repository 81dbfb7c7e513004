using System.Collections.Concurrent;
using System.Net;
using System.Text;

namespace Jackdaw.Etl.Tests.AzureQueues;

/// <summary>Stands in for a storage account: answers as the test says, without a network.</summary>
internal sealed class AnsweringHandler(Func<HttpRequestMessage, HttpResponseMessage> answer) : HttpMessageHandler
{
    /// <summary>Method and address, then the authorization and the content type, of each request.</summary>
    public ConcurrentQueue<(string Request, string Authorization, string ContentType)> Requests { get; } = [];

    /// <summary>How long a request takes; none when it is not set.</summary>
    public Func<HttpRequestMessage, TimeSpan>? Takes { get; init; }

    /// <summary>A refusal in the form of Azure Storage.</summary>
    public static HttpResponseMessage Refuse(int status, string code, string message = "Said by Azure.\nRequestId:1") =>
        new((HttpStatusCode)status)
        {
            Headers = { { "x-ms-error-code", code } },
            Content = new StringContent(
                $"<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>{code}</Code><Message>{message}</Message></Error>",
                Encoding.UTF8,
                "application/xml"
            ),
        };

    /// <summary>The answer to a message that was taken.</summary>
    public static HttpResponseMessage Take() =>
        new(HttpStatusCode.Created)
        {
            Content = new StringContent(
                """
                <?xml version="1.0" encoding="utf-8"?><QueueMessagesList><QueueMessage><MessageId>5974b586-0df3-4e2d-ad0c-18e3892bfca2</MessageId><InsertionTime>Tue, 01 Jan 2030 00:00:00 GMT</InsertionTime>
                <ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime><PopReceipt>r</PopReceipt><TimeNextVisible>Tue, 01 Jan 2030 00:00:00 GMT</TimeNextVisible></QueueMessage></QueueMessagesList>
                """,
                Encoding.UTF8,
                "application/xml"
            ),
        };

    /// <summary>The answer to a blob that was written.</summary>
    public static HttpResponseMessage Written() =>
        new(HttpStatusCode.Created)
        {
            Headers = { { "ETag", "\"1\"" } },
            Content = new ByteArrayContent([]) { Headers = { LastModified = DateTimeOffset.UnixEpoch } },
        };

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        Requests.Enqueue(
            (
                $"{request.Method} {request.RequestUri!.GetLeftPart(UriPartial.Path)}",
                request.Headers.Authorization?.ToString() ?? "",
                request.Content?.Headers.ContentType?.ToString() ?? ""
            )
        );
        if (Takes is not null)
            await Task.Delay(Takes(request), cancellationToken);
        var response = answer(request);
        response.RequestMessage = request;
        return response;
    }
}

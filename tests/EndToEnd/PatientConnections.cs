namespace Jackdaw.EndToEnd;

/// <summary>
/// Connects again where no connection came about: the server is being killed, or the machine is so busy that the handshake's time was up.
/// Nothing was sent then.
/// </summary>
internal sealed class PatientConnections(HttpMessageHandler connections) : DelegatingHandler(connections)
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(100);

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                return await base.SendAsync(request, cancellationToken);
            }
            catch (HttpRequestException e)
                when (e.HttpRequestError is HttpRequestError.ConnectionError or HttpRequestError.SecureConnectionError)
            {
                await Task.Delay(s_pause, cancellationToken);
            }
        }
    }
}

using System.Text.Json;
using Jackdaw.EventStreams.Client.Errors;

namespace Jackdaw.EventStreams.Client.Repeating;

/// <summary>Repeats a call whose answer does not come, until its time is over.</summary>
internal static class RepeatedCall
{
    /// <param name="server">Whom to ask.</param>
    /// <param name="what">The call, for errors.</param>
    /// <param name="time">How long.</param>
    /// <param name="isWrite">Whether an attempt may have had an effect.</param>
    /// <param name="patience">How long the first attempt may take; each further one twice as long.</param>
    /// <param name="attempt">One attempt; the whole answer is read within its time.</param>
    /// <param name="cancel">Ends the call; a write that was sent may have had its effect.</param>
    /// <exception cref="ServerUnavailableException">The time is over.</exception>
    public static async Task<T> RunAsync<T>(
        ServerConnection server,
        string what,
        CallTime time,
        bool isWrite,
        TimeSpan patience,
        Func<CancellationToken, Task<T>> attempt,
        CancellationToken cancel
    )
    {
        Exception? last = null;
        var backOff = new BackOff(time.Clock);
        for (var number = 0; !time.IsOver; number++)
        {
            using var bound = new Attempt(time.Clock, Attempt.Timeout(patience, number, time.Left), cancel);
            try
            {
                return await attempt(bound.Token);
            }
            catch (Exception e)
                when (e
                        is JsonException
                            or KeyNotFoundException
                            or FormatException
                            or InvalidOperationException
                            and not ObjectDisposedException
                )
            {
                throw server.NotUnderstood(what, e);
            }
            catch (Exception e) when (bound.IsPassing(e))
            {
                last = e;
            }
            await backOff.WaitAsync(time.Left, cancel);
        }
        throw Unavailable(server, what, time, isWrite && last is not null, last);
    }

    public static ServerUnavailableException Unavailable(
        ServerConnection server,
        string what,
        CallTime time,
        bool isOutcomeUnknown,
        Exception? last
    ) =>
        new(
            $"The {server.Name} did not answer to {what} within {time.RepeatFor.TotalSeconds:0.###} s"
                + (isOutcomeUnknown ? "; whether it was carried out is unknown" : "")
                + (last is null ? "." : $". The last attempt: {last.Message}"),
            isOutcomeUnknown,
            last
        );
}

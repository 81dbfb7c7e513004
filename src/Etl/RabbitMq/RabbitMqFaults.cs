using System.Net.Sockets;
using System.Security.Authentication;
using System.Threading.Channels;
using Jackdaw.Etl.Sinks;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;
using AmqpCodes = RabbitMQ.Client.Constants;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>Whose fault it is that something failed at the broker; the table is in docs/etl-errors.md.</summary>
internal static class RabbitMqFaults
{
    /// <summary>What the client throws when the network or the broker is the cause.</summary>
    public static bool IsForeign(Exception error) =>
        error
            is RabbitMQClientException
                or OperationInterruptedException
                or IOException
                or SocketException
                or AuthenticationException
                or TimeoutException
                or OperationCanceledException
                or ChannelClosedException
                or ObjectDisposedException;

    /// <summary>A connection could not be opened.</summary>
    public static SinkException OfOpening(Exception error, RabbitMqAddress address, RabbitMqSettings settings)
    {
        var timeout = settings.Timeout;
        var causes = Causes(error).ToArray();
        if (causes.OfType<AuthenticationFailureException>().FirstOrDefault() is { } refused)
            return new SinkException(
                SinkFault.Task,
                $"{address} refuses "
                    + (settings.AuthMechanism == RabbitMqAuthMechanism.External ? "the client's certificate" : $"the user '{address.User}'")
                    + $": {refused.Message}",
                error
            );
        if (
            causes.FirstOrDefault(cause => cause.Message.Contains("No compatible authentication mechanism", StringComparison.Ordinal)) is
            { } notOffered
        )
            return new SinkException(
                SinkFault.Task,
                $"{address} does not offer the authentication '{settings.AuthMechanism}': {notOffered.Message}",
                error
            );
        if (causes.FirstOrDefault(IsCertificateAlert) is { } alert)
            return new SinkException(
                SinkFault.Task,
                $"{address} does not trust the client's certificate, or wants to see one: {alert.Message}",
                error
            );
        if (causes.OfType<AuthenticationException>().FirstOrDefault() is { } insecure)
            return new SinkException(SinkFault.Task, $"No secure connection to {address}: {insecure.Message}", error);
        if (
            causes.OfType<OperationInterruptedException>().Select(interrupted => interrupted.ShutdownReason).FirstOrDefault(IsOfBroker) is
            { } reason
        )
            return new SinkException(
                IsOfTask(reason) ? SinkFault.Task : SinkFault.Sink,
                $"{address} ended the connection: {Words(reason)}",
                error
            );
        return causes.Any(cause => cause is OperationCanceledException or TimeoutException)
            ? new SinkException(SinkFault.Sink, $"{address} did not answer within {timeout.TotalSeconds:0.#} s.", error)
            : new SinkException(SinkFault.Sink, $"{address} cannot be reached: {causes[^1].Message}", error);
    }

    /// <summary>Something could not be declared; what was published meanwhile is not concerned.</summary>
    public static SinkException OfDeclaring(Exception error, string what, RabbitMqAddress address, TimeSpan timeout)
    {
        if (error is OperationInterruptedException { ShutdownReason: { } reason } && IsOfBroker(reason))
        {
            // What is not found was declared before, and has been deleted meanwhile: it is declared anew.
            return
                reason.ReplyCode is AmqpCodes.PreconditionFailed or AmqpCodes.ResourceLocked
                || (IsOfTask(reason) && reason.ReplyCode != AmqpCodes.NotFound)
                ? new SinkException(
                    SinkFault.Task,
                    $"{address} refuses to declare {what}: {Words(reason)} (The task's options can "
                        + "name another type; with SkipAutomaticQueueDeclaration nothing is declared.)",
                    error
                )
                : new SinkException(SinkFault.Sink, $"{address} could not declare {what}: {Words(reason)}", error);
        }
        return error is OperationCanceledException or TimeoutException
            ? new SinkException(SinkFault.Sink, $"{address} did not answer within {timeout.TotalSeconds:0.#} s.", error)
            : new SinkException(SinkFault.Sink, $"The connection to {address} was lost: {error.Message}", error);
    }

    /// <summary>The channel or the connection was closed while messages were published.</summary>
    /// <param name="reason">As the client tells it; null: it does not.</param>
    /// <param name="address">The broker.</param>
    /// <param name="declares">Exchanges that are missing will be declared when the sink is opened again.</param>
    public static SinkException OfClosing(ShutdownEventArgs? reason, RabbitMqAddress address, bool declares)
    {
        if (!IsOfBroker(reason))
            return new SinkException(
                SinkFault.Sink,
                $"The connection to {address} was lost{(reason is null ? "." : $": {reason.Exception?.Message ?? reason.ReplyText}")}",
                reason?.Exception
            );
        bool isOfTask = IsOfTask(reason!) && !(reason!.ReplyCode == AmqpCodes.NotFound && declares);
        return new SinkException(isOfTask ? SinkFault.Task : SinkFault.Sink, $"{address} closed the channel: {Words(reason!)}");
    }

    /// <summary>Did the broker close the channel because it cannot take something of what was published? One of these messages is
    /// the cause.</summary>
    public static bool IsOfMessage(ShutdownEventArgs? reason) =>
        IsOfBroker(reason)
        && reason!.ReplyCode
            is AmqpCodes.PreconditionFailed
                or AmqpCodes.ContentTooLarge
                or AmqpCodes.FrameError
                or AmqpCodes.SyntaxError
                or AmqpCodes.UnexpectedFrame;

    /// <summary>The broker's own words.</summary>
    public static string Words(ShutdownEventArgs reason) => $"{reason.ReplyCode} {reason.ReplyText}";

    private static bool IsOfBroker(ShutdownEventArgs? reason) => reason is { Initiator: RabbitMQ.Client.ShutdownInitiator.Peer };

    private static bool IsOfTask(ShutdownEventArgs reason) =>
        reason.ReplyCode switch
        {
            // Limits of connections and channels are told under the same code, and pass.
            AmqpCodes.NotAllowed => !reason.ReplyText.Contains("limit", StringComparison.OrdinalIgnoreCase),
            AmqpCodes.AccessRefused or AmqpCodes.NotFound or AmqpCodes.InvalidPath or AmqpCodes.NotImplemented => true,
            _ => false,
        };

    /// <summary>What the broker says at the end of the handshake comes as an error of the first read behind it, in the words of
    /// the TLS library.</summary>
    private static bool IsCertificateAlert(Exception cause) =>
        cause.Message.Contains(" alert ", StringComparison.Ordinal)
        && (
            cause.Message.Contains("certificate", StringComparison.Ordinal)
            || cause.Message.Contains("unknown ca", StringComparison.Ordinal)
        );

    /// <summary>From the outermost to the innermost.</summary>
    private static IEnumerable<Exception> Causes(Exception error)
    {
        yield return error;
        var inner = error is AggregateException many
            ? many.InnerExceptions
            : (IReadOnlyList<Exception>)(error.InnerException is { } one ? [one] : []);
        if (error is OperationInterruptedException { ShutdownReason.Exception: { } shutdown } && shutdown != error.InnerException)
            inner = [.. inner, shutdown];
        foreach (var cause in inner.SelectMany(Causes))
            yield return cause;
    }
}

using System.Collections.Frozen;
using System.Security.Authentication;
using Azure;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.AzureQueues;

/// <summary>What a refusal of Azure Storage means; the table is in docs/etl-errors.md.</summary>
internal static class AzureAnswer
{
    public const string QueueNotFound = "QueueNotFound";
    public const string ContainerNotFound = "ContainerNotFound";

    /// <summary>An identity without the role, or a signature without the permission, for this.</summary>
    public const string NotPermitted = "AuthorizationPermissionMismatch";

    /// <summary>A signature that is for other kinds of things: for messages and not for the account, say.</summary>
    public const string NotThisKind = "AuthorizationResourceTypeMismatch";

    private const string InvalidAuthentication = "InvalidAuthenticationInfo";
    private const string Disabled = "QueueDisabled";
    private const string TooLarge = "RequestBodyTooLarge";

    /// <summary>
    /// Codes of a refusal (400) that are the fault of the one message: its size, its text, its queue's name. Every other one, and
    /// one that is not named, would meet the
    /// next message just so: a version of the protocol that is not spoken here, an option of the connection, a proxy.
    /// </summary>
    public static readonly FrozenSet<string> OfMessages = FrozenSet.Create(
        StringComparer.Ordinal,
        "MessageTooLarge",
        TooLarge,
        "InvalidXmlDocument",
        "InvalidXmlNodeValue",
        "InvalidResourceName",
        "OutOfRangeInput"
    );

    /// <summary>Likewise of data in a blob: its name is ours, and its container's the connection's.</summary>
    public static readonly FrozenSet<string> OfBlobs = FrozenSet.Create(StringComparer.Ordinal, TooLarge);

    /// <summary>Why the message is rejected. Throws <see cref="SinkException"/> for faults of the task and of the sink.</summary>
    /// <param name="error">What the client library threw.</param>
    /// <param name="what">What was asked of whom.</param>
    /// <param name="ofMessage">Codes of refusals that are the message's fault; null where there is no message.</param>
    /// <param name="pause">That Azure asked for.</param>
    public static string Classify(RequestFailedException error, string what, IReadOnlySet<string>? ofMessage, TimeSpan? pause)
    {
        if (error.Status == 0)
            throw Unreachable(error, what);
        string said =
            $"{what}: Azure answered {error.Status}{(error.ErrorCode is { Length: > 0 } code ? $" ({code})" : "")}: "
            + $"{FirstLine(error.Message)}";
        switch (error.Status)
        {
            case 400 when error.ErrorCode is not null && ofMessage?.Contains(error.ErrorCode) == true:
            // The body, and that is the message's; a proxy says so without a code.
            case 413 when ofMessage is not null:
                return said;
            case 400 when error.ErrorCode == InvalidAuthentication:
            case 401 or 403:
                throw new SinkException(
                    SinkFault.Task,
                    $"{said} Look at the connection string's key or signature, or at the roles of its identity.",
                    error
                );
            case 409 when error.ErrorCode != Disabled:
            case 408 or 429 or >= 500:
                throw new SinkException(SinkFault.Sink, said, error, pause);
            default:
                // 400 that no message is to blame for, 404 of the account, redirections (not followed), and what else means that
                // this is not the right place.
                throw new SinkException(SinkFault.Task, said, error);
        }
    }

    /// <summary>There was no answer.</summary>
    public static SinkException Unreachable(Exception error, string what)
    {
        for (var cause = error; cause is not null; cause = cause.InnerException)
        {
            if (cause is HttpTargets.RefusedAddressException)
                return new SinkException(SinkFault.Task, $"{what}: {cause.Message}", error);
            if (cause is AuthenticationException)
                return new SinkException(SinkFault.Task, $"{what}: no secure connection: {cause.Message}", error);
        }
        return new SinkException(SinkFault.Sink, $"{what}: Azure cannot be reached: {FirstLine(error.Message)}", error);
    }

    /// <summary>The lines after it are ids, headers and what was signed.</summary>
    private static string FirstLine(string text)
    {
        string line = text.Split('\r', '\n')[0].Trim();
        return line.Length == 0 || line[^1] is '.' or '!' or '?' ? line : line + ".";
    }
}

using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Http;

/// <summary>Staged files take all the disk space that they may take together; answered with 503 and Retry-After.</summary>
public sealed class StagingFullException : Exception
{
    private StagingFullException(string message)
        : base(message) { }

    /// <summary>Creates the error of a request body that finds no room.</summary>
    public static StagingFullException OfBodies(long limitBytes) =>
        new(
            $"The request bodies that are being received take all of the {limitBytes:N0} "
                + $"bytes of disk that they may take together ({KnownSettings.MaxStagedBodiesMb}). "
                + "Send this one again when others are done, or in parts smaller "
                + $"than {KnownSettings.StagingThresholdKb}, or raise the setting."
        );

    /// <summary>Creates the error of an answer that finds no room.</summary>
    public static StagingFullException OfAnswers(long limitBytes) =>
        new(
            $"The answers that are being sent take all of the {limitBytes:N0} bytes of disk that they may take together "
                + $"({KnownSettings.MaxStagedAnswersMb}). Ask again when others have been read, or raise the setting."
        );
}

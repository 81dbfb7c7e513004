using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Http;

/// <summary>Large request bodies take all the disk space that they may take together; answered with 503 and Retry-After.</summary>
public sealed class StagingFullException : Exception
{
    /// <summary>Creates the error, with the limit in bytes.</summary>
    public StagingFullException(long limitBytes)
        : base(
            $"The request bodies that are being received take all of the {limitBytes:N0} "
                + $"bytes of disk that they may take together ({KnownSettings.MaxStagedBodiesMb}). "
                + "Send this one again when others are done, or in parts smaller "
                + $"than {KnownSettings.StagingThresholdKb}, or raise the setting."
        ) { }
}

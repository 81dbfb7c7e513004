namespace Jackdaw.Server.Http.Compression;

/// <summary>How the bytes of a body are encoded.</summary>
internal enum ContentCoding
{
    /// <summary>As they are.</summary>
    None,

    /// <summary>RFC 1952.</summary>
    Gzip,

    /// <summary>RFC 8878.</summary>
    Zstd,
}

namespace Jackdaw.Server.Http.Compression;

/// <summary>zstd's <c>ZSTD_EndDirective</c>.</summary>
internal enum ZstdDirective
{
    /// <summary>Take the input; write when it is worth it.</summary>
    Continue = 0,

    /// <summary>Write everything so far.</summary>
    Flush = 1,

    /// <summary>Write everything and end the frame.</summary>
    End = 2,
}

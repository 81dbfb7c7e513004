namespace Jackdaw.Server.Http;

/// <summary>A request body is compressed in a way this server does not read; answered with 415.</summary>
public sealed class UnsupportedEncodingException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="encoding">The Content-Encoding of the request.</param>
    /// <param name="reason">Why a known coding cannot be read here; null for an unknown one.</param>
    public UnsupportedEncodingException(string encoding, string? reason = null)
        : base(
            reason is null
                ? $"A request body with Content-Encoding '{encoding}' cannot be read; send it plain, with gzip or with zstd."
                : $"A request body with Content-Encoding '{encoding}' cannot be read: {reason}. Send it plain or with gzip."
        ) { }
}

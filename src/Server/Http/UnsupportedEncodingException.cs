namespace Jackdaw.Server.Http;

/// <summary>A request body is compressed in a way this server does not read; answered with 415.</summary>
public sealed class UnsupportedEncodingException : Exception
{
    /// <summary>Creates the error for an encoding by its name.</summary>
    public UnsupportedEncodingException(string encoding)
        : base($"A request body with Content-Encoding '{encoding}' cannot be read; send it plain or with gzip.") { }
}

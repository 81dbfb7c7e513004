namespace Jackdaw.Server.Http;

/// <summary>One answer inside a multi_get is larger than it may be; that one is answered with 413.</summary>
public sealed class AnswerTooLargeException : Exception
{
    /// <summary>Creates the error; the message names the limit and what to do instead.</summary>
    public AnswerTooLargeException(long limitBytes)
        : base(
            $"The answer to this request of a multi_get is larger than {limitBytes:N0} bytes, the limit of one answer inside "
                + "another (Limits.MaxInnerAnswerBytes, which follows Limits.MaxDocumentSizeInMb). "
                + "Ask for a smaller page, or send the request alone."
        ) { }
}

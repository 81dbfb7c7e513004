namespace Jackdaw.Server.Http;

/// <summary>The request repeats one that failed while this one waited for it. Each waiting request gets an exception of its own;
/// the error that the first one met is the inner exception, and the answer tells of that.</summary>
internal sealed class RepeatedRequestException(Exception cause) : Exception(cause.Message, cause);

namespace Jackdaw.Server.Http;

/// <summary>How an exception is told to a client.</summary>
/// <param name="Status">The HTTP status.</param>
/// <param name="Type">The .NET type name by which the clients choose their own exception.</param>
/// <param name="Message">One sentence.</param>
internal sealed record ErrorAnswer(int Status, string Type, string Message)
{
    /// <summary>Properties of the body beside Url, Type, Message and Error.</summary>
    public IReadOnlyList<KeyValuePair<string, string?>> Fields { get; init; } = [];

    public IReadOnlyList<KeyValuePair<string, string>> Headers { get; init; } = [];

    /// <summary>
    /// The status for clients of the protocol, where it is another one. They take any 404 for "what was asked for is not there",
    /// and what answers nothing then seems to
    /// have gone well: an error that has to reach their users needs a status that they report.
    /// </summary>
    public int? ClientStatus { get; init; }

    /// <summary>True for an error that this server does not expect of itself: it is logged, and its stack told.</summary>
    public bool IsUnexpected { get; init; }
}

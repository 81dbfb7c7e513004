namespace Jackdaw.EventStreams.Client;

/// <summary>The server's fixed limits that the client looks after itself, so that one bad call spoils no request of others.</summary>
internal static class ClientLimits
{
    /// <summary>Bytes of a stream id, writer, manifest or tag.</summary>
    public const int MaxTextBytes = 1000;

    public const int MaxTags = 100;

    /// <summary>What the server counts for an event, and for a group, beside texts and payload.</summary>
    public const int OverheadBytes = 128;

    /// <summary>Nesting up to which a payload is sent as JSON; below the server's limit.</summary>
    public const int MaxInlineJsonDepth = 256;

    /// <summary>Nesting of JSON in answers: the server's limit and what surrounds a payload.</summary>
    public const int MaxAnswerDepth = 1024;
}

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>What a live reader has to do next.</summary>
internal enum LiveTask
{
    /// <summary>Wait.</summary>
    None,

    /// <summary>Read on from its own position: it has just begun, has fallen behind, or follows everything.</summary>
    CatchUp,

    /// <summary>Give the events whose positions it was told.</summary>
    GiveTold,

    /// <summary>Tell a client that is only woken that there is something new.</summary>
    Wake,

    /// <summary>Send a heartbeat.</summary>
    Beat,

    /// <summary>Send the last line.</summary>
    End,
}

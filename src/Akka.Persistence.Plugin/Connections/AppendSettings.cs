using Akka.Configuration;
using Jackdaw.EventStreams.Client;

namespace Akka.Persistence.Jackdaw.Connections;

/// <summary>How much a journal joins and queues, and the server's limits of which it knows.</summary>
internal sealed record AppendSettings(
    int MaxRequests,
    int MaxJoinedEvents,
    long MaxJoinedBytes,
    int MaxQueuedEvents,
    long MaxQueuedBytes,
    long MaxEventBytes,
    long MaxAppendBytes
)
{
    /// <summary>Reads a section. A key that is missing has the client's default.</summary>
    public static AppendSettings Read(Config section)
    {
        var defaults = new EventStreamsClientOptions { Url = new Uri("http://localhost"), Database = "" };
        return new AppendSettings(
            section.GetInt("max-append-requests", defaults.MaxAppendRequests),
            section.GetInt("max-joined-events", defaults.MaxJoinedEvents),
            section.GetByteSize("max-joined-bytes", null) ?? defaults.MaxJoinedBytes,
            section.GetInt("max-queued-events", defaults.MaxQueuedEvents),
            section.GetByteSize("max-queued-bytes", null) ?? defaults.MaxQueuedBytes,
            section.GetByteSize("max-event-size", null) ?? defaults.MaxEventBytes,
            section.GetByteSize("max-append-size", null) ?? defaults.MaxAppendBytes
        );
    }
}

using Jackdaw.Documents.Reading;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>A change of a document on its way to those who watch it: put into words once, when the first is found, and told to
/// each once.</summary>
internal ref struct Notice(DocumentChange change, long number)
{
    private readonly DocumentChange _change = change;
    private byte[]? _json;

    /// <summary>Tells those whose watch is older than the change.</summary>
    public void Tell(scoped ReadOnlySpan<Watcher> watchers)
    {
        foreach (var (socket, since) in watchers)
        {
            if (socket.LastTold == number || _change.Etag <= since)
                continue;
            socket.LastTold = number;
            socket.Notify(_json ??= ChangesMessages.Document(_change));
        }
    }
}

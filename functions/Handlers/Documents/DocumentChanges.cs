namespace Jackdaw.Functions.Handlers.Documents;

/// <summary>Changes of one document in a batch. The newest is applied; then older ones of the same database need nothing.</summary>
internal sealed class DocumentChanges(DocumentChange first, int place)
{
    private readonly List<(DocumentChange Change, int Place)> _all = [(first, place)];

    /// <summary>The one with the highest etag.</summary>
    public DocumentChange Newest { get; private set; } = first;

    /// <summary>Adds one.</summary>
    /// <param name="change">The change.</param>
    /// <param name="place">Its place in the batch.</param>
    public void Add(DocumentChange change, int place)
    {
        _all.Add((change, place));
        if (change.Message.Etag > Newest.Message.Etag)
            Newest = change;
    }

    /// <summary>Marks the newest and what that makes unnecessary: what any marker of the newest would say of the others.</summary>
    public void MarkHandled(bool[] handled)
    {
        foreach (var (change, place) in _all)
            handled[place] |=
                ReferenceEquals(change, Newest)
                || (
                    change.Message.DatabaseId == Newest.Message.DatabaseId
                    && (change.Message.Etag < Newest.Message.Etag || change.Message.Id == Newest.Message.Id)
                );
    }
}

namespace Jackdaw.Documents.Snapshots;

/// <summary>Keeps what a download reads: contents that are replaced after it began, until it is disposed of.</summary>
public sealed class ContentHold : IDisposable
{
    private readonly SnapshotTraffic _traffic;
    private long _content;

    internal ContentHold(SnapshotTraffic traffic, long etag)
    {
        _traffic = traffic;
        Etag = etag;
    }

    /// <summary>Set as soon as it is known which content is read: others need not be kept any more. 0: unknown.</summary>
    public long Content
    {
        get => Volatile.Read(ref _content);
        set => Volatile.Write(ref _content, value);
    }

    /// <summary>Contents whose removal was recorded by then cannot be found by the download.</summary>
    internal long Etag { get; }

    internal bool Keeps(long content, long etag) => etag > Etag && Content is var held && (held == 0 || held == content);

    /// <summary>Lets go.</summary>
    public void Dispose() => _traffic.End(this);
}

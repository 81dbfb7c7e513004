namespace Jackdaw.Documents.Snapshots;

/// <summary>Keeps what a download reads: contents that are replaced after it began, until it is disposed of.</summary>
public sealed class ContentHold : IDisposable
{
    private readonly SnapshotTraffic _traffic;
    private long _content;

    internal ContentHold(SnapshotTraffic traffic, long lastNumber)
    {
        _traffic = traffic;
        LastNumber = lastNumber;
    }

    /// <summary>Set as soon as it is known which content is read: others need not be kept any more. 0: unknown.</summary>
    public long Content
    {
        get => Volatile.Read(ref _content);
        set => Volatile.Write(ref _content, value);
    }

    /// <summary>A content whose leftover record has a number up to this cannot be found by the download.</summary>
    internal long LastNumber { get; }

    internal bool Keeps(long content, long recordNumber) =>
        recordNumber > LastNumber && Content is var held && (held == 0 || held == content);

    /// <summary>Lets go.</summary>
    public void Dispose() => _traffic.End(this);
}

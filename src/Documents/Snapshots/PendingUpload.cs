using Jackdaw.Storage;

namespace Jackdaw.Documents.Snapshots;

/// <summary>An upload under way, whose chunks the cleaning leaves alone until it is disposed of. Used by one caller at a time.</summary>
public sealed class PendingUpload : IDisposable
{
    private readonly SnapshotTraffic _traffic;
    private long _content;
    private bool _hasEnded;

    internal PendingUpload(SnapshotTraffic traffic) => _traffic = traffic;

    internal SnapshotTraffic Traffic => _traffic;

    /// <summary>Bytes in chunks that are durable.</summary>
    public long StoredBytes { get; internal set; }

    /// <summary>The number of its content; 0 before the first chunk. Set by the merger, perhaps several times, until that chunk is
    /// durable.</summary>
    internal long Content
    {
        get => Volatile.Read(ref _content);
        set => Volatile.Write(ref _content, value);
    }

    /// <summary>Its snapshot is durable: the content is that snapshot's.</summary>
    public void Complete() => Content = 0;

    /// <summary>Ends the upload: what no snapshot has by now is removed. Not while an operation of it is under way.</summary>
    public void Dispose()
    {
        Invariant.Require(!_hasEnded);
        _hasEnded = true;
        _traffic.End(this);
    }
}

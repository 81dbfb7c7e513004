using Jackdaw.Documents.Errors;

namespace Jackdaw.Documents.Snapshots;

/// <summary>
/// The uploads and downloads of snapshots under way in an open database, which the cleaning must not disturb. Thread-safe. It is empty
/// after a restart: then every upload that was under way is a leftover.
/// </summary>
public sealed class SnapshotTraffic
{
    private readonly Lock _gate = new();
    private readonly HashSet<PendingUpload> _uploads = [];
    private readonly HashSet<ContentHold> _holds = [];
    private int _isCleaningWanted = 1;

    /// <summary>Bytes of a content that a download reads at once: as <see cref="Limits.SnapshotPieceBytes"/>, less in
    /// simulations.</summary>
    internal int PieceBytes { get; init; } = Limits.SnapshotPieceBytes;

    /// <summary>Bytes that the cleaning removes at once: as <see cref="Limits.SnapshotBytesPerCleaning"/>, less in
    /// simulations.</summary>
    internal long CleaningBytes { get; init; } = Limits.SnapshotBytesPerCleaning;

    /// <summary>Called when there may be something to clean. Must be quick.</summary>
    internal Action? Moved { get; set; }

    /// <summary>Uploads under way.</summary>
    public int UploadCount
    {
        get
        {
            lock (_gate)
                return _uploads.Count;
        }
    }

    /// <summary>Begins an upload, before its first operation is submitted.</summary>
    /// <exception cref="TooManySnapshotUploadsException"><see cref="Limits.MaxSnapshotUploads"/> are under way.</exception>
    public PendingUpload BeginUpload()
    {
        var upload = new PendingUpload(this);
        lock (_gate)
        {
            if (_uploads.Count >= Limits.MaxSnapshotUploads)
                throw new TooManySnapshotUploadsException();
            _uploads.Add(upload);
        }
        return upload;
    }

    /// <summary>Keeps what will be replaced, before a download looks for its snapshot.</summary>
    /// <param name="lastNumber">What a reader says that has ended by now: <see cref="SnapshotsReader.LastNumber"/>.</param>
    public ContentHold Hold(long lastNumber)
    {
        var hold = new ContentHold(this, lastNumber);
        lock (_gate)
            _holds.Add(hold);
        return hold;
    }

    /// <summary>An operation has left a content that is to be removed (<see cref="StoreSnapshotOperation.LeavesContent"/>).</summary>
    public void NoteLeftover()
    {
        Volatile.Write(ref _isCleaningWanted, 1);
        Moved?.Invoke();
    }

    /// <summary>True once after something has happened that leaves something to be cleaned; also when the database was opened.</summary>
    internal bool TakeNote() => Interlocked.Exchange(ref _isCleaningWanted, 0) != 0;

    internal bool HasNote => Volatile.Read(ref _isCleaningWanted) != 0;

    /// <summary>The contents of uploads under way, at this moment.</summary>
    internal void CopyUploads(HashSet<long> contents)
    {
        contents.Clear();
        lock (_gate)
        {
            foreach (var upload in _uploads)
                contents.Add(upload.Content);
        }
    }

    /// <summary>Whether a download under way may read a content that has a leftover record.</summary>
    internal bool IsHeld(long content, long recordNumber)
    {
        lock (_gate)
        {
            foreach (var hold in _holds)
            {
                if (hold.Keeps(content, recordNumber))
                    return true;
            }
            return false;
        }
    }

    internal void End(PendingUpload upload)
    {
        lock (_gate)
            _uploads.Remove(upload);
        if (upload.Content != 0)
            NoteLeftover();
    }

    internal void End(ContentHold hold)
    {
        bool isLast;
        lock (_gate)
            isLast = _holds.Remove(hold) && hold.Content != 0;
        if (isLast)
            NoteLeftover();
    }
}

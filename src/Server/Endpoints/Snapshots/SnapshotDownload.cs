using Jackdaw.Documents;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Endpoints.Snapshots;

/// <summary>
/// The bytes of one snapshot on their way to a client, a piece in each read transaction. Its content is kept when the snapshot is
/// replaced meanwhile, so that pieces of two snapshots are never mixed.
/// </summary>
internal sealed class SnapshotDownload : IDisposable
{
    private const string Purpose = "GET /snapshots";

    private readonly Database _database;
    private readonly ContentHold _hold;
    private byte[] _piece = [];
    private long _read;

    private SnapshotDownload(Database database)
    {
        _database = database;
        long lastNumber;
        using (var reader = database.OpenRead(Purpose))
            lastNumber = new SnapshotsReader(reader).LastNumber;
        _hold = database.Snapshots.Hold(lastNumber);
    }

    /// <summary>What is downloaded.</summary>
    public StoredSnapshot Snapshot { get; private set; }

    /// <summary>The bytes that were read last.</summary>
    public ReadOnlyMemory<byte> Piece { get; private set; }

    /// <summary>Finds the snapshot with the highest number within bounds, and reads its first piece; null when there is none.</summary>
    public static async Task<SnapshotDownload?> OpenAsync(Database database, byte[] stream, SnapshotCriteria criteria)
    {
        var download = new SnapshotDownload(database);
        try
        {
            long? next = criteria.MaxNumber;
            while (next is { } from)
            {
                if (download.TryBegin(stream, criteria with { MaxNumber = from }, out next))
                    return download;
                await Task.Yield();
            }
        }
        catch
        {
            download.Dispose();
            throw;
        }
        download.Dispose();
        return null;
    }

    /// <summary>Reads the next piece; false at the end.</summary>
    /// <exception cref="SnapshotGoneException">The snapshot was replaced so long ago that its bytes are gone.</exception>
    public bool ReadNext()
    {
        if (_read == Snapshot.SizeBytes)
            return false;
        using var reader = _database.OpenRead(Purpose);
        ReadPiece(new SnapshotsReader(reader));
        return true;
    }

    public void Dispose()
    {
        _hold.Dispose();
        Piece = default;
        if (_piece.Length > 0)
            BytePool.Requests.Return(_piece);
        _piece = [];
    }

    private bool TryBegin(byte[] stream, in SnapshotCriteria criteria, out long? next)
    {
        using var reader = _database.OpenRead(Purpose);
        var snapshots = new SnapshotsReader(reader);
        StoredSnapshot? newest = null;
        next = snapshots.Descend(
            stream,
            criteria,
            (in StoredSnapshot found) =>
            {
                newest = found;
                return false;
            }
        );
        if (newest is not { } snapshot)
            return false;
        Snapshot = snapshot;
        _hold.Content = snapshot.Content;
        ReadPiece(snapshots);
        return true;
    }

    private void ReadPiece(SnapshotsReader snapshots)
    {
        var bytes = (int)Math.Min(Snapshot.SizeBytes - _read, Limits.SnapshotPieceBytes);
        if (_piece.Length < bytes)
            _piece = BytePool.Requests.Rent(bytes);
        if (snapshots.ReadBytes(Snapshot.Content, _read, _piece.AsSpan(0, bytes)) != bytes)
            throw new SnapshotGoneException(Snapshot.Number);
        Piece = _piece.AsMemory(0, bytes);
        _read += bytes;
    }
}

using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Snapshots;

namespace Jackdaw.Simulation.Merging;

/// <summary>A download under way, a piece in each read transaction.</summary>
internal sealed class SimulatedDownload(ContentHold hold, string stream, SnapshotCriteria criteria)
{
    private SnapshotState? _snapshot;
    private int _read;

    /// <summary>Reads the next piece. Returns whether there is more.</summary>
    /// <param name="documents">A reader.</param>
    /// <param name="state">What the reader must see.</param>
    /// <param name="mayBeCut">Contents may be removed although a download holds them.</param>
    public bool Read(DocumentsReader documents, DatabaseState state, bool mayBeCut)
    {
        var reader = new SnapshotsReader(documents);
        if (_snapshot is null && !Find(reader, state))
            return false;
        var wanted = Math.Min(SnapshotsState.PieceBytes, _snapshot!.SizeBytes - _read);
        var piece = new byte[wanted];
        var count = reader.ReadBytes(_snapshot.Content, _read, piece);
        OracleException.Require(
            count == wanted || mayBeCut,
            $"a download of {_snapshot.SizeBytes} bytes of content {_snapshot.Content} gets {count} bytes at {_read}"
        );
        OracleException.Require(
            piece.AsSpan(0, count).SequenceEqual(SnapshotState.BytesOf(_snapshot.Seed, _read, count)),
            $"a download of content {_snapshot.Content} gets other bytes at {_read}"
        );
        _read += count;
        return count == wanted && _read < _snapshot.SizeBytes;
    }

    public void End() => hold.Dispose();

    private bool Find(SnapshotsReader reader, DatabaseState state)
    {
        StoredSnapshot? found = null;
        reader.Descend(
            Encoding.UTF8.GetBytes(stream),
            criteria,
            (in StoredSnapshot newest) =>
            {
                found = newest;
                return false;
            }
        );
        var (number, expected) = state.Snapshots.Within(stream, criteria).LastOrDefault();
        OracleException.Require(
            found?.Number == (expected is null ? null : number) && found?.Content == expected?.Content,
            $"the newest snapshot of {stream} within {criteria} is {found} instead of {number} {expected}"
        );
        _snapshot = expected;
        hold.Content = found?.Content ?? 0;
        return expected is not null;
    }
}

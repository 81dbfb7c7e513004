using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Rooms;

/// <summary>A merged operation that another project defines: it changes what its <see cref="Room"/> keeps, all or nothing.</summary>
public abstract class RoomOperation : MergedOperation
{
    /// <summary>Creates an operation.</summary>
    /// <param name="room">What it changes. A room with trees or tables must be registered in <see cref="DatabasesOptions.Rooms"/>.</param>
    protected RoomOperation(Room room)
    {
        ArgumentNullException.ThrowIfNull(room);
        Room = room;
    }

    /// <summary>What it changes.</summary>
    public Room Room { get; }

    /// <summary>
    /// Does the work, in a turn of the merger, once or several times: each time on a transaction without the former attempt's
    /// changes, so it begins by forgetting its results. Throws an <see cref="Errors.OperationException"/> to refuse; any other
    /// exception poisons the database. Must not block.
    /// </summary>
    protected abstract void Execute(RoomWriter writer);

    internal sealed override void Execute(DocumentsWriter writer) => Execute(new RoomWriter(writer, Room));
}

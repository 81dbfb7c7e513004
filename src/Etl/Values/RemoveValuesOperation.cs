using System.Text;
using Jackdaw.Documents.Rooms;

namespace Jackdaw.Etl.Values;

/// <summary>Removes a bounded number of the values that ETL keeps in a database. Not pooled.</summary>
/// <param name="prefix">What their keys begin with.</param>
/// <param name="before">Only keys that come before this one, in the order of bytes.</param>
/// <param name="atMost">So many.</param>
internal sealed class RemoveValuesOperation(string prefix, string before, int atMost) : RoomOperation(EtlRoom.Instance)
{
    /// <inheritdoc />
    public override long SizeBytes => prefix.Length + before.Length;

    /// <summary>How many there were. A result.</summary>
    public int Removed { get; private set; }

    /// <inheritdoc/>
    protected override void Execute(RoomWriter writer) =>
        Removed = writer.RemoveValues(Encoding.UTF8.GetBytes(prefix), Encoding.UTF8.GetBytes(before), atMost);
}

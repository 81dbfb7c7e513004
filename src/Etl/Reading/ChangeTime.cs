using Jackdaw.Documents.Reading;

namespace Jackdaw.Etl.Reading;

/// <summary>When a change was made.</summary>
internal static class ChangeTime
{
    /// <summary>UTC ticks.</summary>
    public static long LastModifiedTicks(this in DocumentChange change) =>
        change.IsTombstone ? change.Tombstone.LastModifiedTicks : change.Document.LastModifiedTicks;
}

using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>What happens to indexes, in the words of the protocol.</summary>
internal static class IndexNotifications
{
    /// <summary>Tells what happens to a database's indexes from now on, until the result is disposed of.</summary>
    public static IDisposable Follow(DatabaseIndexes indexes, DatabaseChanges changes) =>
        indexes.Watch(change =>
        {
            foreach (var word in WordsOf(change, indexes.Find(change.Index)?.State, indexes.Find(change.Index)?.IsPaused == true))
                changes.TellIndex(change.Index, word, ChangesAnswers(change.Kind));
        });

    internal static string[] WordsOf(IndexChange change, IndexState? state, bool isPaused) =>
        change.Kind switch
        {
            IndexChangeKind.Added => ["IndexAdded"],
            IndexChangeKind.Removed => ["IndexRemoved"],
            IndexChangeKind.BatchCompleted => ["BatchCompleted"],
            IndexChangeKind.Swapped => ["SideBySideReplace"],
            // It is another one from now on, which is what clients know to do something about.
            IndexChangeKind.Rebuilt => ["IndexRemoved", "IndexAdded"],
            IndexChangeKind.PriorityChanged => ["PriorityChanged"],
            IndexChangeKind.LockModeChanged => ["LockModeChanged"],
            IndexChangeKind.StateChanged => state switch
            {
                IndexState.Disabled => ["IndexDemotedToDisabled"],
                IndexState.Error => ["IndexMarkedAsErrored"],
                IndexState.Idle => ["IndexDemotedToIdle"],
                _ when isPaused => ["IndexPaused"],
                _ => ["IndexPromotedFromIdle"],
            },
            _ => [],
        };

    private static bool ChangesAnswers(IndexChangeKind kind) =>
        kind
            is IndexChangeKind.BatchCompleted
                or IndexChangeKind.Removed
                or IndexChangeKind.Swapped
                or IndexChangeKind.Rebuilt
                or IndexChangeKind.StateChanged;
}

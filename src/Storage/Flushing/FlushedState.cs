using Jackdaw.Storage.Journal;

namespace Jackdaw.Storage.Flushing;

/// <summary>What a completed flush pass put into the data file: everything up to a position of the journal.</summary>
/// <param name="Position">After the last transaction that is wholly written to the file.</param>
/// <param name="Pages">Pages of the file as of that transaction.</param>
/// <param name="JournalBytes">Bytes appended to the journal, since opening, up to that transaction.</param>
internal sealed record FlushedState(JournalPosition Position, long Pages, long JournalBytes);

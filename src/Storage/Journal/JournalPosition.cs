namespace Jackdaw.Storage.Journal;

/// <summary>A place between two records of the journal, with what the next record there must continue.</summary>
/// <param name="Sequence">The file's sequence.</param>
/// <param name="Offset">Bytes from the start of the file; a multiple of the file's atomic unit.</param>
/// <param name="Chain">Chain value of the record before this place.</param>
/// <param name="TransactionId">The last transaction before this place.</param>
internal readonly record struct JournalPosition(long Sequence, long Offset, ulong Chain, long TransactionId);

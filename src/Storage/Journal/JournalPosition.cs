namespace Jackdaw.Storage.Journal;

/// <summary>A place between two records of the journal, with what the next record there must continue.</summary>
/// <param name="Sequence">The file's sequence.</param>
/// <param name="Offset">Bytes from the start of the file; a multiple of the file's atomic unit.</param>
/// <param name="Chain">Chain value of the record before this place.</param>
/// <param name="TransactionId">The last transaction before this place that is whole.</param>
/// <param name="Pieces">Pieces before this place of a group of records that is not complete yet; 0 everywhere else.</param>
internal readonly record struct JournalPosition(long Sequence, long Offset, ulong Chain, long TransactionId, int Pieces = 0)
{
    /// <summary>The number of the record that comes next: see <see cref="RecordNumber"/>.</summary>
    public long NextNumber => RecordNumber.Of(TransactionId + 1, Pieces);
}

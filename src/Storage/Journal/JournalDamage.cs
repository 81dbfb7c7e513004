using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Journal;

/// <summary>Damage that a reader found and was told to accept: what is given up by going on at the last good record.</summary>
/// <param name="Error">What is damaged, and where.</param>
/// <param name="HighestTransactionSeen">
/// The highest transaction of which blocks were seen beyond the last good record; 0 when none were. Transactions after the last good one
/// up to at least this are lost.
/// </param>
internal sealed record JournalDamage(CorruptedDataException Error, long HighestTransactionSeen);

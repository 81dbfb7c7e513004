namespace Jackdaw.Storage.Journal;

/// <summary>Where and how a journal ended.</summary>
/// <param name="Position">After the last valid record.</param>
/// <param name="Records">Records handed to the visitor.</param>
/// <param name="BytesRead">Bytes of their blocks.</param>
/// <param name="Damage">Null: it ended quietly. Otherwise what was accepted as lost.</param>
internal sealed record JournalEnd(JournalPosition Position, long Records, long BytesRead, JournalDamage? Damage);

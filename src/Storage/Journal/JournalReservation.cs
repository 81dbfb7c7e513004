namespace Jackdaw.Storage.Journal;

/// <summary>Room set aside for one record.</summary>
/// <param name="Bytes">The most that it takes.</param>
/// <param name="OwnFile">A file made for it, when it is larger than a journal file.</param>
internal readonly record struct JournalReservation(long Bytes, JournalFile? OwnFile);

namespace Jackdaw.Storage.Journal;

/// <summary>A file of the journal's folder, as found.</summary>
/// <param name="Sequence">By its name.</param>
/// <param name="Header">Unset for a blank or bad one.</param>
internal sealed record JournalFileSummary(long Sequence, string Path, long Length, JournalFileState State, JournalFileHeader Header);

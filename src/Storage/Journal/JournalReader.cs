using Jackdaw.Storage.Disk;

namespace Jackdaw.Storage.Journal;

/// <summary>Walks a journal from a position to its end. docs/storage-format.md, "Ends and damage".</summary>
internal sealed class JournalReader
{
    public JournalReader(IDisk disk, JournalOptions options) => throw new NotImplementedException();

    /// <summary>
    /// Hands every valid record after <paramref name="from"/> to the visitor, in order, and returns where the log ends.
    /// Throws <see cref="Errors.CorruptedDataException"/> for damage (unless <paramref name="acceptDataLoss"/>: then the end is the last good record, and
    /// <see cref="JournalEnd.Damage"/> says what is given up), <see cref="Errors.UnsupportedFormatException"/> for files of another journal
    /// or version, and for compressed records where the library for them is missing.
    /// </summary>
    public JournalEnd Read(JournalPosition from, IJournalVisitor visitor, bool acceptDataLoss = false) => throw new NotImplementedException();
}

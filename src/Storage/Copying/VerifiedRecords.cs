using Jackdaw.Storage.Journal;

namespace Jackdaw.Storage.Copying;

/// <summary>Records that are read only to be verified.</summary>
internal sealed class VerifiedRecords : IJournalVisitor
{
    public void Record(in RecordHeader header, JournalEntries entries)
    {
        // The reader has verified it.
    }
}

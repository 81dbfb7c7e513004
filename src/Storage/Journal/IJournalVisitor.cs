namespace Jackdaw.Storage.Journal;

/// <summary>Takes the records of a journal in order.</summary>
internal interface IJournalVisitor
{
    /// <summary>Called once for each valid record. The entries' memory is valid until the call returns.</summary>
    void Record(in RecordHeader header, JournalEntries entries);
}

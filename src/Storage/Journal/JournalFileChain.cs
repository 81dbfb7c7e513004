using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Journal;

/// <summary>The files to be read, in order, each the one that names the file before it.</summary>
/// <param name="Files">From the one where reading begins, as far as they hang together.</param>
/// <param name="Break">Why they do not reach the newest file in use; null when they do.</param>
internal sealed record JournalFileChain(List<JournalFileSummary> Files, CorruptedDataException? Break)
{
    /// <summary>
    /// Of several files that name the same one before them, the highest counts: the others belong to a log that was given up (or
    /// whose end was
    /// found to be earlier).
    /// </summary>
    public static JournalFileChain Find(List<JournalFileSummary> files, JournalPosition from, JournalFolder folder)
    {
        var inUse = files.FindAll(file => file.State == JournalFileState.InUse && file.Sequence >= from.Sequence);
        var chain = new List<JournalFileSummary>();
        for (var next = inUse.Find(file => file.Sequence == from.Sequence); next is not null; next = SuccessorOf(next, inUse))
            chain.Add(next);

        if (chain.Count == 0)
            return new JournalFileChain(chain, Missing(files, from.Sequence, folder, "replay begins in it"));
        var newest = inUse[^1];
        if (chain[^1] == newest)
            return new JournalFileChain(chain, null);
        return new JournalFileChain(
            chain,
            Missing(files, FirstMissing(newest, chain, inUse), folder, $"'{folder.Shown(newest.Path)}' builds on it")
        );
    }

    private static JournalFileSummary? SuccessorOf(JournalFileSummary file, List<JournalFileSummary> inUse) =>
        inUse.FindLast(other => other.Header.Previous.Sequence == file.Sequence && other.Sequence > file.Sequence);

    /// <summary>The file, going back from the newest, that is not there to be read.</summary>
    private static long FirstMissing(JournalFileSummary newest, List<JournalFileSummary> chain, List<JournalFileSummary> inUse)
    {
        var file = newest;
        while (
            inUse.Find(other => other.Sequence == file.Header.Previous.Sequence && other.Sequence < file.Sequence) is { } previous
            && !chain.Contains(previous)
        )
            file = previous;
        return file.Header.Previous.Sequence;
    }

    private static CorruptedDataException Missing(List<JournalFileSummary> files, long sequence, JournalFolder folder, string why)
    {
        var state = files.Find(file => file.Sequence == sequence)?.State;
        var what = state switch
        {
            null => "the journal file is missing",
            JournalFileState.BadHeader => "the journal file's header does not match its checksum",
            JournalFileState.InUse => "the journal file does not belong where it is named",
            _ => "the journal file is not in use",
        };
        return new CorruptedDataException(folder.Shown(folder.PathOf(sequence)), 0, $"{what}; {why}");
    }
}

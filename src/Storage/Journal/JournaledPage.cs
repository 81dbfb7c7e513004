namespace Jackdaw.Storage.Journal;

/// <summary>A page (or overflow run) of a transaction on its way into the journal. The memory must stay as it is until the append
/// has returned.</summary>
internal readonly unsafe struct JournaledPage
{
    public JournaledPage(long pageNumber, int runLength, byte* @new, byte* old, int wholeBytes)
    {
        PageNumber = pageNumber;
        RunLength = runLength;
        New = @new;
        Old = old;
        WholeBytes = wholeBytes;
    }

    public readonly long PageNumber;

    /// <summary>Pages in the run.</summary>
    public readonly int RunLength;

    /// <summary>The page's bytes as this transaction leaves them.</summary>
    public readonly byte* New;

    /// <summary>The page as last journaled; null: journal it whole. Always null for runs.</summary>
    public readonly byte* Old;

    /// <summary>
    /// Runs: meaningful bytes from the start (header and payload); the rest reads as zeros after a replay. Single pages are journaled to
    /// their end whatever this says: bytes that a replay would lose could, being equal, be left out of later differences.
    /// </summary>
    public readonly int WholeBytes;
}

namespace Jackdaw.Storage.Journal;

/// <summary>A page (or overflow run) of a transaction on its way into the journal. The memory must stay as it is until the append
/// has returned.</summary>
internal readonly unsafe struct JournaledPage
{
    public JournaledPage(long pageNumber, int runLength, byte* @new, byte* old, int wholeBytes)
        : this(pageNumber, runLength, @new, old, wholeBytes, 0, wholeBytes) { }

    private JournaledPage(long pageNumber, int runLength, byte* @new, byte* old, int wholeBytes, int partAt, int partBytes)
    {
        PageNumber = pageNumber;
        RunLength = runLength;
        New = @new;
        Old = old;
        WholeBytes = wholeBytes;
        PartAt = partAt;
        PartBytes = partBytes;
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

    /// <summary>Runs: the first of the meaningful bytes that this record holds.</summary>
    public readonly int PartAt;

    /// <summary>Runs: how many of the meaningful bytes this record holds.</summary>
    public readonly int PartBytes;

    /// <summary>The record holds only some of a run's bytes; records before or after it hold the others.</summary>
    public bool IsPart => PartBytes < WholeBytes;

    /// <summary>Some of the same run's bytes.</summary>
    public JournaledPage Part(int at, int bytes)
    {
        Invariant.Require(RunLength > 1 && at >= 0 && bytes > 0 && at + bytes <= WholeBytes);
        return new JournaledPage(PageNumber, RunLength, New, null, WholeBytes, at, bytes);
    }
}

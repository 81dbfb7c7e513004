namespace Jackdaw.Storage.Journal;

/// <summary>How a page entry describes its page.</summary>
internal enum EntryForm : ushort
{
    /// <summary>Bytes from the page's start; the rest of the run is zeros.</summary>
    Whole = 1,

    /// <summary>Offsets, lengths and new bytes, over the page as last journaled.</summary>
    Differences = 2,

    /// <summary>Some bytes of a run; the records after this one in its group hold the next ones.</summary>
    Part = 3,

    /// <summary>The last bytes of a run of which earlier records in the group hold the others; the rest of the run is zeros.</summary>
    LastPart = 4,
}

namespace Jackdaw.Storage.Journal;

/// <summary>How a page entry describes its page.</summary>
internal enum EntryForm : ushort
{
    /// <summary>Bytes from the page's start; the rest of the run is zeros.</summary>
    Whole = 1,

    /// <summary>Offsets, lengths and new bytes, over the page as last journaled.</summary>
    Differences = 2,
}

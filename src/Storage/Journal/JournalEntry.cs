using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Journal;

/// <summary>One page (or run) of a record, as it lies in the payload.</summary>
internal readonly unsafe struct JournalEntry
{
    private readonly JournalSource _source;

    public JournalEntry(long pageNumber, int runLength, EntryForm form, byte* bytes, int length, int differences, JournalSource source)
    {
        PageNumber = pageNumber;
        RunLength = runLength;
        Form = form;
        Bytes = bytes;
        Length = length;
        Differences = differences;
        _source = source;
    }

    public readonly long PageNumber;

    /// <summary>Pages in the run.</summary>
    public readonly int RunLength;

    public readonly EntryForm Form;

    /// <summary>Whole and parts: the bytes. Differences: offset, length and new bytes of each.</summary>
    public readonly byte* Bytes;

    public readonly int Length;

    /// <summary>How many differences there are.</summary>
    public readonly int Differences;

    /// <summary>Parts: where in the run the bytes belong.</summary>
    public int PartAt { get; init; }

    /// <summary>
    /// Makes the run what it was after the record's transaction; <paramref name="run"/> is writable memory for all of its pages.
    /// Differences and parts are laid over what is there; a whole entry, and the first part, overwrite everything. Throws
    /// <see cref="CorruptedDataException"/>.
    /// </summary>
    public void ApplyTo(byte* run)
    {
        if (Form == EntryForm.Whole)
        {
            Buffer.MemoryCopy(Bytes, run, (long)RunLength * PageLayout.PageSize, Length);
            new Span<byte>(run + Length, checked(RunLength * PageLayout.PageSize - Length)).Clear();
            return;
        }
        if (Form is EntryForm.Part or EntryForm.LastPart)
        {
            if (PartAt == 0)
                new Span<byte>(run, checked(RunLength * PageLayout.PageSize)).Clear();
            Buffer.MemoryCopy(Bytes, run + PartAt, (long)RunLength * PageLayout.PageSize - PartAt, Length);
            return;
        }
        if (!PageDifferences.TryApply(run, Bytes, Length, Differences))
            throw _source.Damaged($"the differences of page {PageNumber} do not lie within a page");
    }
}

using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Journal;

/// <summary>Where a record came from, for errors about what it holds.</summary>
internal sealed record JournalSource(string Path, long Offset)
{
    public CorruptedDataException Damaged(string what) => new(Path, Offset, what);
}

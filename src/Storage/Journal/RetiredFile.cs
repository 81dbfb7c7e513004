namespace Jackdaw.Storage.Journal;

/// <summary>A file that is no longer written: recovery may still need it, until both headers are past it.</summary>
/// <param name="Reusable">False: it is to be deleted then, not recycled.</param>
internal sealed record RetiredFile(long Sequence, string Path, long Length, bool Reusable = true);

using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Tombstones;

/// <summary>Removes a bounded number of the oldest tombstones.</summary>
internal sealed class CleanTombstonesOperation : MergedOperation
{
    public override long SizeBytes => 0;

    /// <summary>Tombstones above stay.</summary>
    public long UpToEtag { get; set; }

    /// <summary>A result.</summary>
    public int Removed { get; private set; }

    internal override void Execute(DocumentsWriter writer) => Removed = writer.RemoveTombstones(UpToEtag, Limits.TombstonesPerCleaning);
}

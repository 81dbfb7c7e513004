using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Merging;

/// <summary>Stands in a closed <see cref="OperationQueue"/>; never executed.</summary>
internal sealed class ClosedMark : MergedOperation
{
    public static readonly ClosedMark Instance = new();

    private ClosedMark() { }

    public override long SizeBytes => 0;

    internal override void Execute(DocumentsWriter writer) => Invariant.Require(false);
}

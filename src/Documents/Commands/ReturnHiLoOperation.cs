namespace Jackdaw.Documents.Commands;

/// <summary>Gives the rest of a HiLo range back: Max becomes <c>last</c> if it still is <c>end</c>.</summary>
public sealed class ReturnHiLoOperation : MergedOperation
{
    public ReturnHiLoOperation(string tag, long end, long last) => throw new NotSupportedException();

    public override long SizeBytes => throw new NotSupportedException();
}

using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Commands;

/// <summary>Gives the rest of a HiLo range back: Max becomes <c>last</c> if it still is <c>end</c>.</summary>
public sealed class ReturnHiLoOperation : MergedOperation
{
    private readonly HiLoDocument _document;
    private readonly long _end;
    private readonly long _last;

    /// <summary>Creates the operation that gives back the unused end of a range.</summary>
    /// <param name="tag">Whose range it is.</param>
    /// <param name="end">The end of the range as it was handed out.</param>
    /// <param name="last">The last number used.</param>
    public ReturnHiLoOperation(string tag, long end, long last)
    {
        _document = new HiLoDocument(tag);
        _end = end;
        _last = last;
    }

    /// <inheritdoc />
    public override long SizeBytes => _document.SizeBytes;

    internal override void Execute(DocumentsWriter writer)
    {
        if (_last < _end && _document.ReadMax(writer) == _end)
            _document.WriteMax(writer, _last);
    }
}

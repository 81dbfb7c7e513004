using System.Diagnostics;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Patching;

/// <summary>
/// One patch of many documents, as far as it gets within a moment (<see cref="Limits.PatchTimePerTransaction"/>), but at least
/// one: single writes wait behind it, so it
/// ends where a batch of patches would be refused for its time. Submit another for the rest. What is done is all or nothing: when
/// the script fails on one document, the operation is refused with <see cref="Errors.PatchException"/>.
/// </summary>
public sealed class PatchDocumentsOperation : MergedOperation
{
    private readonly Patch _patch;
    private readonly IReadOnlyList<byte[]> _lowerIds;
    private readonly int _first;
    private readonly Limits _limits;

    /// <param name="patch">What to do.</param>
    /// <param name="lowerIds">The documents, by their lower-cased ids (<see cref="Reading.Document.LowerId"/>). Those that are
    /// gone are passed over.</param>
    /// <param name="first">Where in the list to begin.</param>
    /// <param name="limits">The database's.</param>
    public PatchDocumentsOperation(Patch patch, IReadOnlyList<byte[]> lowerIds, int first, Limits limits)
    {
        _patch = patch;
        _lowerIds = lowerIds;
        _first = first;
        _limits = limits;
    }

    /// <inheritdoc />
    public override long SizeBytes
    {
        get
        {
            long size = _patch.SizeBytes;
            for (int i = _first; i < _lowerIds.Count; i++)
                size += _lowerIds[i].Length;
            return size;
        }
    }

    /// <summary>Documents of the list that are done with, those that are gone included; at least one. A result.</summary>
    public int Done { get; private set; }

    /// <summary>Documents that the script was run on. A result.</summary>
    public int Patched { get; private set; }

    internal override void Execute(DocumentsWriter writer)
    {
        Done = 0;
        Patched = 0;
        long began = Stopwatch.GetTimestamp();
        using var execution = new PatchExecution(writer, _limits);
        try
        {
            PatchForAMoment(writer, execution, began);
        }
        finally
        {
            writer.PatchAllowance.CountTime(began);
        }
    }

    private void PatchForAMoment(DocumentsWriter writer, PatchExecution execution, long began)
    {
        int most = Math.Min(_lowerIds.Count - _first, Limits.DocumentsPerQueryTransaction);
        while (Done < most && (Done == 0 || Stopwatch.GetElapsedTime(began) < Limits.PatchTimePerTransaction))
        {
            var lowerId = _lowerIds[_first + Done++];
            DocumentsWriter.RefuseEvent(lowerId);
            if (!writer.TryGet(lowerId, out _, out _))
                continue;
            execution.Run(_patch, lowerId);
            Patched++;
        }
    }
}

using Jackdaw.Documents.Layout;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Writing;

/// <summary>Whose request made a change, for those who tell others of it.</summary>
internal sealed partial class DocumentsWriter
{
    /// <summary>The newest traces are kept, so many.</summary>
    internal const int KeptTraces = 100_000;

    /// <summary>Of the operation that runs; null when its request had none.</summary>
    private TraceParent? _trace;

    private void NoteTrace(long etag)
    {
        if (_trace is not { } trace)
            return;
        var tree = Transaction.Catalog.OpenTree(Schema.TracesTree);
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(etag, key);
        trace.Write(tree.Reserve(key, TraceParent.Bytes, out _));
        FaultPoint?.Invoke();
        if (tree.EntryCount <= KeptTraces)
            return;
        using (var cursor = tree.OpenCursor())
        {
            Invariant.Require(cursor.SeekFirst());
            cursor.Key.CopyTo(key);
        }
        tree.Delete(key);
    }
}

using Jackdaw.Documents.Layout;

namespace Jackdaw.Documents.Reading;

/// <summary>When documents are due.</summary>
public sealed partial class DocumentsReader
{
    /// <summary>The earliest date of a kind, UTC ticks; null: no document has one.</summary>
    public long? FirstDate(DocumentDateKind kind) => DateTree.First(_transaction, kind);

    /// <summary>The earliest date of a kind that lies on no damaged page, UTC ticks; null: there is none.</summary>
    public long? FirstReadableDate(DocumentDateKind kind) => DateTree.FirstReadable(_transaction, kind, default)?.Ticks;

    /// <summary>Documents that have a date of a kind.</summary>
    public long CountOfDates(DocumentDateKind kind) => DateTree.Count(_transaction, kind);
}

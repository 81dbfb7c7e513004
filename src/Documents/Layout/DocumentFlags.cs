namespace Jackdaw.Documents.Layout;

/// <summary>What a document carries besides itself; shown as <c>@flags</c>. The numbers are part of the storage format.</summary>
[Flags]
public enum DocumentFlags
{
    /// <summary>None of them.</summary>
    None = 0,

    /// <summary>Revisions are kept.</summary>
    HasRevisions = 1,

    /// <summary>The document has attachments.</summary>
    HasAttachments = 2,

    /// <summary>The document has counters.</summary>
    HasCounters = 4,

    /// <summary>The document has time series.</summary>
    HasTimeSeries = 8,
}

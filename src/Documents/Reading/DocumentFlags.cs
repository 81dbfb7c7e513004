namespace Jackdaw.Documents.Reading;

/// <summary>What a document carries besides itself; shown as <c>@flags</c>. The numbers are part of the storage format.</summary>
[Flags]
public enum DocumentFlags
{
    None = 0,
    HasRevisions = 1,
    HasAttachments = 2,
    HasCounters = 4,
    HasTimeSeries = 8,
}

namespace Jackdaw.Documents;

/// <summary>What a date in a document's metadata is for.</summary>
public enum DocumentDateKind
{
    /// <summary><c>@expires</c>: the document is deleted.</summary>
    Expires,

    /// <summary><c>@refresh</c>: the document is written again without this date, with a new change vector.</summary>
    Refresh,
}

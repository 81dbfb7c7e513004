namespace Jackdaw.Documents.Patching;

/// <summary>What came of a patch; the names go over the wire.</summary>
public enum PatchStatus
{
    /// <summary>There is no such document, and nothing was to be done then.</summary>
    DocumentDoesNotExist,

    /// <summary>There was none, and one was made.</summary>
    Created,

    /// <summary>The script changed the document (or deleted it).</summary>
    Patched,

    /// <summary>The document had another change vector than expected, and the patch was to be skipped then.</summary>
    Skipped,

    /// <summary>The script left the document as it was.</summary>
    NotModified,
}

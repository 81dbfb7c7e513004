namespace Jackdaw.Documents.Errors;

/// <summary>A command expected a change vector that the document does not have.</summary>
public sealed class ConcurrencyException : OperationException
{
    /// <summary>Creates the error.</summary>
    /// <param name="id">The document.</param>
    /// <param name="expected">The change vector that the caller expected; empty when it expected no document.</param>
    /// <param name="actual">The change vector that the document has; null when there is no document.</param>
    public ConcurrencyException(string id, string expected, string? actual)
        : base(Describe(id, expected, actual))
    {
        Id = id;
        ExpectedChangeVector = expected;
        ActualChangeVector = actual;
    }

    /// <summary>The document's id as sent.</summary>
    public string Id { get; }

    /// <summary>As sent; empty means that the document was expected not to exist.</summary>
    public string ExpectedChangeVector { get; }

    /// <summary>Null when there is no such document.</summary>
    public string? ActualChangeVector { get; }

    private static string Describe(string id, string expected, string? actual) =>
        (expected, actual) switch
        {
            ("", _) => $"Document '{id}' was expected not to exist, but it has change vector "
                + $"'{actual}'. Optimistic concurrency violation, transaction will be aborted.",
            (_, null) => $"Document '{id}' does not exist, but was expected to: it has change vector (none), "
                + $"expected '{expected}'. Optimistic concurrency violation, transaction will be aborted.",
            _ => $"Document '{id}' has change vector '{actual}', but was expected to have "
                + $"'{expected}'. Optimistic concurrency violation, transaction will be aborted.",
        };
}

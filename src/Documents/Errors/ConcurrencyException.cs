namespace Jackdaw.Documents.Errors;

/// <summary>A command expected a change vector that the document does not have.</summary>
public sealed class ConcurrencyException : OperationException
{
    /// <summary>Creates the error.</summary>
    /// <param name="id">The document's id as sent.</param>
    /// <param name="expected">The change vector as sent; empty when the document was expected not to exist.</param>
    /// <param name="actual">Null when there is no such document.</param>
    /// <param name="isUnparsable">True when <paramref name="expected"/> is not a change vector, so that no document can have it.</param>
    public ConcurrencyException(string id, string expected, string? actual, bool isUnparsable = false)
        : base(Describe(ShownText.Of(id), expected, actual, isUnparsable))
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

    private static string Describe(string id, string expected, string? actual, bool isUnparsable) =>
        (expected, actual) switch
        {
            _ when isUnparsable => $"Document '{id}' has change vector {(actual is null ? "(none)" : $"'{actual}'")}, but was expected to "
                + $"have '{ShownText.Of(expected)}', which is not a change vector (a change vector is 'A:<etag>-<database id>', several "
                + "joined by ', '). Optimistic concurrency violation, transaction will be aborted.",
            ("", _) => $"Document '{id}' was expected not to exist, but it has change vector "
                + $"'{actual}'. Optimistic concurrency violation, transaction will be aborted.",
            (_, null) => $"Document '{id}' does not exist, but was expected to: it has change vector (none), "
                + $"expected '{expected}'. Optimistic concurrency violation, transaction will be aborted.",
            _ => $"Document '{id}' has change vector '{actual}', but was expected to have "
                + $"'{expected}'. Optimistic concurrency violation, transaction will be aborted.",
        };
}

namespace Jackdaw.Documents.Errors;

/// <summary>
/// A declared error of one merged operation (a conflict, a bad id, a limit): the operation is answered with it and the others of its
/// transaction are executed again without it. Every other exception out of an operation poisons the database.
/// </summary>
public abstract class OperationException : Exception
{
    /// <summary>Creates the error of one operation.</summary>
    protected OperationException(string message, Exception? inner = null)
        : base(message, inner) { }
}

namespace Jackdaw.Documents.Errors;

/// <summary>A patch was run as a test, and all went well: what it changed was taken back again. Its results are in the command.</summary>
public sealed class PatchTestedException : OperationException
{
    /// <summary>Creates the signal that ends a test run without changing anything.</summary>
    public PatchTestedException()
        : base("The patch was a test: nothing was written.") { }
}

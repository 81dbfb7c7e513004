namespace Jackdaw.Documents.Errors;

/// <summary>A patch was run as a test, and all went well: what it changed was taken back again. Its results are in the command.</summary>
public sealed class PatchTestedException : OperationException
{
    public PatchTestedException()
        : base("The patch was a test: nothing was written.") { }
}

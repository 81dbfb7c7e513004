using Jackdaw.Scripting.Errors;

namespace Jackdaw.Documents.Errors;

/// <summary>
/// A patch's script does not compile, threw, or was ended at a limit: <see cref="Cause"/> says which, with the place in the
/// script. Nothing of the operation was written.
/// </summary>
public sealed class PatchException : OperationException
{
    /// <summary>Creates the error of a script that does not compile.</summary>
    public PatchException(ScriptException cause)
        : base(cause.Message, cause) => Cause = cause;

    /// <summary>Creates the error of a script that failed on a document.</summary>
    public PatchException(string id, ScriptException cause)
        : base($"The patch of '{ShownText.Of(id)}' failed: {cause.Message}", cause) => Cause = cause;

    /// <summary>The failure of the script, with its place.</summary>
    public ScriptException Cause { get; }
}

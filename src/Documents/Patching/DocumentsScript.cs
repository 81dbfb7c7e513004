using Jackdaw.Scripting;

namespace Jackdaw.Documents.Patching;

/// <summary>What scripts of patches and of projections see of documents alike: <c>id()</c>, <c>load()</c>, <c>loadPath()</c>,
/// <c>getMetadata()</c>, <c>lastModified()</c>. It calls the host's function <c>load</c>.</summary>
public static class DocumentsScript
{
    private static readonly string s_source = ScriptResource.Read(typeof(DocumentsScript).Assembly, "documents.js");

    /// <summary>Returns the source of an environment with what all see before its own.</summary>
    public static string Before(string source) => s_source + source;
}

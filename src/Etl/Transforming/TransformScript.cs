using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Jackdaw.Etl.Configuration;
using Jackdaw.Scripting;

namespace Jackdaw.Etl.Transforming;

/// <summary>A transform's script, compiled. Immutable.</summary>
internal sealed partial class TransformScript
{
    /// <summary>
    /// Stands before the script when a deletion is told: functions are there before the body has run, and the body does not run.
    /// On the first line, so that
    /// the lines of errors stay true (columns of that line do not).
    /// </summary>
    private const string DeletionCall = "return void deleted($id, $collection); ";

    private static readonly ScriptEnvironment s_environment = new(
        "transform",
        ScriptResource.Read(typeof(TransformScript).Assembly, "transform.js"),
        TransformCall.Functions()
    );

    private TransformScript(Script puts, Script? deletions, IReadOnlyList<string> boundTargets, IReadOnlyList<string> literalTargets)
    {
        BoundTargets = boundTargets;
        Puts = puts;
        Deletions = deletions;
        LiteralTargets = literalTargets;
    }

    /// <summary>Called with the document.</summary>
    public Script Puts { get; }

    /// <summary>Called with <see cref="DeletionArguments"/>; null when the script has no function <c>deleted</c>.</summary>
    public Script? Deletions { get; }

    /// <summary>The targets of the names <c>loadTo‹Name›</c> that are bound to the script, as the prelude numbers them.</summary>
    public IReadOnlyList<string> BoundTargets { get; }

    /// <summary>Where deletions are told when there is no such function.</summary>
    public IReadOnlyList<string> LiteralTargets { get; }

    /// <summary>Throws the errors of <see cref="ScriptEngine.Compile"/>, among them
    /// <see cref="Scripting.Errors.ScriptSyntaxException"/> with line and column.</summary>
    public static TransformScript Compile(ScriptEngine engine, TransformConfiguration transform)
    {
        string source = transform.Script;
        string[] functions = ScriptTargets.Functions(source);
        var puts = engine.Compile(s_environment, source, functions);
        bool tellsItself = transform.PublishDeletes && DeletedFunction().IsMatch(source);
        var deletions = tellsItself ? engine.Compile(s_environment, DeletionCall + source, [.. functions, "$id", "$collection"]) : null;
        return new TransformScript(
            puts,
            deletions,
            functions.Select(name => name[ScriptTargets.Prefix.Length..]).ToArray(),
            transform.PublishDeletes ? ScriptTargets.Literal(source) : []
        );
    }

    /// <summary>The text of a call for a deletion.</summary>
    public static byte[] DeletionArguments(string id, string collection) =>
        Encoding.UTF8.GetBytes($"{{\"id\":{JsonSerializer.Serialize(id)},\"collection\":{JsonSerializer.Serialize(collection)}}}");

    [GeneratedRegex(@"(?<![\w$.])function\s+deleted\s*\(")]
    private static partial Regex DeletedFunction();
}

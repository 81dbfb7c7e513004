using System.Text.Json;
using System.Text.RegularExpressions;
using Jackdaw.Documents.Errors;
using Jackdaw.Scripting;
using Jackdaw.Scripting.Errors;

namespace Jackdaw.Documents.Patching;

/// <summary>A compiled script that changes documents, with its arguments. Immutable; may be used by many operations at once.</summary>
public sealed partial class Patch
{
    private readonly Script _script;

    private Patch(Script script, byte[] arguments, Limits limits)
    {
        _script = script;
        Arguments = arguments;
        ScriptLimits = new ScriptLimits { Time = limits.MaxPatchTime };
    }

    /// <summary>A JSON object.</summary>
    internal ReadOnlyMemory<byte> Arguments { get; }

    internal ScriptLimits ScriptLimits { get; }

    /// <summary>Bytes that it holds.</summary>
    internal long SizeBytes => (2L * _script.Source.Length) + Arguments.Length;

    /// <summary>Compiles; a script that is known already costs a look-up.</summary>
    /// <param name="engine">The server's.</param>
    /// <param name="source">JavaScript: <c>this</c> is the document, <c>args</c> and <c>$</c> the arguments, <c>$name</c> one of
    /// them.</param>
    /// <param name="arguments">A JSON object in UTF-8, copied; empty for none.</param>
    /// <param name="limits">Time a document.</param>
    /// <param name="alias">Another name of the document in the script; null for none.</param>
    /// <exception cref="PatchException">It does not compile, or scripts cannot run on this machine.</exception>
    /// <exception cref="JsonException">The arguments are no JSON.</exception>
    public static Patch Compile(ScriptEngine engine, string source, ReadOnlySpan<byte> arguments, Limits limits, string? alias = null)
    {
        ArgumentNullException.ThrowIfNull(engine);
        ArgumentNullException.ThrowIfNull(source);
        byte[] given = arguments.IsEmpty ? "{}"u8.ToArray() : arguments.ToArray();
        List<string> parameters = ["args", "$"];
        if (alias is not null && alias is not ("args" or "this"))
            parameters.Add(alias);
        AddNames(given, source, parameters);
        try
        {
            return new Patch(engine.Compile(PatchEnvironment.Instance, source, [.. parameters]), given, limits);
        }
        catch (ScriptException failure)
        {
            throw new PatchException(failure);
        }
    }

    /// <summary>Rents a context for the merger's thread, which waits for nobody. Throws <see cref="ScriptEngineBusyException"/>.</summary>
    internal ScriptContext Rent() => _script.RentWithoutWaiting();

    /// <summary>The arguments that the script uses by name.</summary>
    private static void AddNames(byte[] arguments, string source, List<string> parameters)
    {
        var reader = new Utf8JsonReader(arguments);
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            throw new JsonException("The arguments of a script must be a JSON object.");
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            // Names with escapes are no names of variables, and one of half a surrogate pair would be no string.
            var name = reader.ValueIsEscaped ? null : "$" + reader.GetString();
            if (
                name is not null
                && name.Length > 1
                && Identifier().IsMatch(name)
                && source.Contains(name, StringComparison.Ordinal)
                && !parameters.Contains(name)
            )
                parameters.Add(name);
            reader.Skip();
        }
    }

    [GeneratedRegex(@"^\$[A-Za-z0-9_$]+\z")]
    private static partial Regex Identifier();
}

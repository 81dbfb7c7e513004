using System.Text.Json;
using Jackdaw.Scripting.Errors;
using Jackdaw.Scripting.Json;
using Jackdaw.Scripting.Native;
using Jackdaw.Scripting.Source;

namespace Jackdaw.Scripting.Machines;

/// <summary>
/// One script compiled in a context of its own: the realm's own script, the environment's prelude and the author's text, with
/// everything frozen that the
/// author's text can reach.
/// </summary>
internal sealed unsafe class ScriptRealm : IDisposable
{
    private const string RealmUrl = "jackdaw:realm";
    private const string PreludeUrl = "jackdaw:prelude";

    private static readonly string s_realmSource = ScriptResource.Read(typeof(ScriptRealm).Assembly, "realm.js");

    private readonly ScriptMachine _machine;
    private readonly List<nint> _kept = [];
    private readonly nint _describe;
    private readonly RewrittenSource _source;

    /// <summary>Throws <see cref="ScriptSyntaxException"/>. Errors of the prelude are programmer's errors.</summary>
    public ScriptRealm(ScriptMachine machine, nint group, Script script)
    {
        _machine = machine;
        _source = script.Compiled;
        Context = JavaScriptCore.JSGlobalContextCreateInGroup(group, 0);
        try
        {
            Call = new HostCall(script.Environment.Functions);
            var realm = Keep(
                CallFunction(
                    Evaluate(s_realmSource, RealmUrl),
                    [Text(LossyNumbers.Mark), JavaScriptCore.JSValueMakeNumber(Context, ScriptLimits.MaxRepeatedLength)]
                )
            );
            _describe = Property(realm, "describe");
            var host = Keep((HostFunctions.MakeHost(Context, script.Environment.Functions), 0));
            var prelude = Keep(
                CallFunction(
                    Evaluate($"(function (host, json, parameters) {{ 'use strict';\n{script.Environment.Prelude}\n}})", PreludeUrl),
                    [host, Property(realm, "json"), Parameters(script.Parameters)]
                )
            );
            var bind = Keep((CompileSource(script), 0));
            Own(CallFunction(Property(realm, "harden"), [Property(prelude, "globals")]));
            Function = Keep(CallFunction(Property(realm, "entry"), [Property(prelude, "call"), bind]));
            var message = NativeText.Create("Scripts cannot make code of texts.");
            JavaScriptCore.JSGlobalContextSetEvalEnabled(Context, false, message);
            JavaScriptCore.JSStringRelease(message);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public nint Context { get; private set; }

    /// <summary>To be called with texts; gives a text or undefined.</summary>
    public nint Function { get; }

    /// <summary>What functions of the host see while a call runs.</summary>
    public HostCall Call { get; }

    public void Dispose()
    {
        if (Context == 0)
            return;
        // What is kept would keep the whole context.
        foreach (var value in _kept)
            JavaScriptCore.JSValueUnprotect(Context, value);
        JavaScriptCore.JSGlobalContextRelease(Context);
        Context = 0;
    }

    /// <summary>The error that a thrown value stands for.</summary>
    public ScriptException ErrorOf(nint thrown, ScriptLimits limits)
    {
        if (_machine.WasTerminated)
            return TimeExceeded(limits);
        var described = JavaScriptCore.JSObjectCallAsFunction(Context, _describe, 0, 1, &thrown, out var exception);
        if (_machine.WasTerminated)
            return TimeExceeded(limits);
        if (exception != 0)
            return new ScriptRuntimeException("The script threw a value that cannot be described.", null, null, "");
        var (message, stack, _) = Parse(described);
        var frames = ScriptFrames.Of(stack, _source);
        return new ScriptRuntimeException(message, frames.Line, frames.Column, frames.Text);
    }

    private static ScriptLimitException TimeExceeded(ScriptLimits limits) =>
        new($"The script was ended: it ran for longer than its limit of {limits.Time.TotalMilliseconds:0.#} ms.");

    /// <summary>The author's text as the function that the prelude binds.</summary>
    private nint CompileSource(Script script)
    {
        // By itself first: a text whose braces close ours would not be the body of one function.
        var body = NativeText.Create("\"use strict\";\n" + script.Compiled.Text);
        var url = NativeText.Create(ScriptFrames.Url);
        JavaScriptCore.JSObjectMakeFunction(Context, 0, 0, null, body, url, 1, out var exception);
        JavaScriptCore.JSStringRelease(url);
        JavaScriptCore.JSStringRelease(body);
        if (exception == 0)
        {
            // One line before the author's first.
            var compiled = Evaluate(
                $"(function({string.Join(',', script.Parameters)}){{\"use strict\";return function(){{\n{script.Compiled.Text}\n}}}})",
                ScriptFrames.Url,
                out exception
            );
            if (exception == 0)
                return compiled;
        }
        var (message, _, _) = Describe(exception);
        throw SyntaxPosition.Error(this, script, message);
    }

    /// <summary>The message and the line of the error in a text that is checked only; null when there is none.</summary>
    public (string Message, int Line)? Check(string source)
    {
        Evaluate(source, ScriptFrames.Url, out var exception);
        if (exception == 0)
            return null;
        var (message, _, line) = Describe(exception);
        return (message, line);
    }

    private (string Message, string Stack, int Line) Describe(nint thrown)
    {
        var described = JavaScriptCore.JSObjectCallAsFunction(Context, _describe, 0, 1, &thrown, out var exception);
        if (exception != 0)
            throw new InvalidOperationException("An error of the script engine cannot be described.");
        return Parse(described);
    }

    private (string Message, string Stack, int Line) Parse(nint described)
    {
        using var parts = JsonDocument.Parse(ReadText(described));
        return (Plain(parts.RootElement[0]), Plain(parts.RootElement[1]), parts.RootElement[2].GetInt32());
    }

    /// <summary>Half surrogate pairs, which a script can throw, are no text that could be sent on: they become U+FFFD.</summary>
    private static string Plain(JsonElement text) =>
        JsonText.WithoutHalfPairs(JsonText.Unescape(System.Runtime.InteropServices.JsonMarshal.GetRawUtf8Value(text)[1..^1]));

    private string ReadText(nint value)
    {
        var text = JavaScriptCore.JSValueToStringCopy(Context, value, out _);
        if (text == 0)
            throw new InvalidOperationException("The script engine is out of memory.");
        try
        {
            return NativeText.Read(text);
        }
        finally
        {
            JavaScriptCore.JSStringRelease(text);
        }
    }

    private nint Evaluate(string source, string url) => Own(Evaluate(source, url, out var exception), exception);

    private nint Evaluate(string source, string url, out nint exception)
    {
        var text = NativeText.Create(source);
        var name = NativeText.Create(url);
        try
        {
            return JavaScriptCore.JSEvaluateScript(Context, text, 0, name, 1, out exception);
        }
        finally
        {
            JavaScriptCore.JSStringRelease(name);
            JavaScriptCore.JSStringRelease(text);
        }
    }

    private (nint Value, nint Exception) CallFunction(nint function, ReadOnlySpan<nint> arguments)
    {
        fixed (nint* pointer = arguments)
            return (
                JavaScriptCore.JSObjectCallAsFunction(Context, function, 0, (nuint)arguments.Length, pointer, out var exception),
                exception
            );
    }

    /// <summary>As <c>Own</c>, for a value that is to live as long as the context.</summary>
    private nint Keep((nint Value, nint Exception) outcome)
    {
        var value = Own(outcome);
        JavaScriptCore.JSValueProtect(Context, value);
        _kept.Add(value);
        return value;
    }

    private nint Own((nint Value, nint Exception) outcome) => Own(outcome.Value, outcome.Exception);

    /// <summary>The outcome of a script of ours, which must not fail.</summary>
    private nint Own(nint value, nint exception)
    {
        if (exception == 0)
            return value;
        var text = JavaScriptCore.JSValueToStringCopy(Context, exception, out _);
        throw new InvalidOperationException($"The prelude of scripts failed: {(text == 0 ? "?" : NativeText.Read(text))}");
    }

    private nint Text(string text)
    {
        var native = NativeText.Create(text);
        var value = JavaScriptCore.JSValueMakeString(Context, native);
        JavaScriptCore.JSStringRelease(native);
        return value;
    }

    private nint Property(nint value, string name)
    {
        var native = NativeText.Create(name);
        var property = JavaScriptCore.JSObjectGetProperty(Context, value, native, out _);
        JavaScriptCore.JSStringRelease(native);
        return property;
    }

    private nint Parameters(IReadOnlyList<string> names) => Evaluate(JsonSerializer.Serialize(names), RealmUrl);
}

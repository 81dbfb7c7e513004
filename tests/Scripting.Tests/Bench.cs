using System.Text;
using Jackdaw.Scripting.Errors;

namespace Jackdaw.Scripting.Tests;

/// <summary>A small kind of scripts: <c>this</c> is the first text, <c>args</c> the second, the result is what the script
/// returns, as JSON.</summary>
internal static class Bench
{
    /// <summary>Generous, so that a busy machine does not end what should end by itself.</summary>
    public static readonly ScriptLimits Patient = new() { Time = TimeSpan.FromSeconds(20) };

    public static readonly ScriptLimits Short = new() { Time = TimeSpan.FromMilliseconds(50) };

    public static readonly List<string> Said = [];

    public static readonly ScriptEnvironment Kind = new(
        "test",
        """
        return {
          globals: {
            say(text) { host.say(String(text)); },
            fail(text) { host.fail(text); },
            echo(text) { return host.echo(text); },
            reparse(text) { return json.parse(host.json(text)); },
          },
          call(bind, document, args) {
            const self = json.parse(document);
            const result = bind(args === undefined ? undefined : json.parse(args)).call(self);
            return result === undefined ? undefined : json.stringify(result);
          },
        };
        """,
        new ScriptFunction(
            "say",
            (ref call) =>
            {
                lock (Said)
                    Said.Add(call.Text(0));
            }
        ),
        new ScriptFunction(
            "fail",
            (ref call) =>
            {
                if (call.Text(0) == "script")
                    throw new ScriptCallbackException("no such thing");
                throw new InvalidTimeZoneException(call.Text(0));
            }
        ),
        new ScriptFunction("echo", (ref call) => call.Return(call.Text(0))),
        new ScriptFunction("json", (ref call) => call.ReturnJson(call.Utf8(0)))
    );

    public static readonly ScriptEngine Engine = new();

    public static Script Compile(string source) => Engine.Compile(Kind, source, "args");

    public static string? Run(string source, string document = "{}", string? args = null, ScriptLimits? limits = null)
    {
        using var context = Compile(source).Rent();
        return Call(context, document, args, limits);
    }

    public static string? Call(ScriptContext context, string document = "{}", string? args = null, ScriptLimits? limits = null)
    {
        ReadOnlyMemory<byte> self = Encoding.UTF8.GetBytes(document);
        bool isSomething = args is null
            ? context.TryCall(limits ?? Patient, null, out var output, self)
            : context.TryCall(limits ?? Patient, null, out output, self, Encoding.UTF8.GetBytes(args));
        return isSomething ? Encoding.UTF8.GetString(output) : null;
    }
}

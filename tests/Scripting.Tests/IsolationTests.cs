using Jackdaw.Scripting.Errors;
using Xunit;

namespace Jackdaw.Scripting.Tests;

/// <summary>Nothing of one call is there in the next, whatever the script tries.</summary>
public class IsolationTests
{
    /// <summary>
    /// Each tries to keep the document's secret somewhere, after telling whether an earlier call's is there. What cannot be
    /// written may throw.
    /// </summary>
    [Theory]
    [InlineData("const seen = typeof leak !== 'undefined'; try { leak = this.secret; } catch { } return seen;")]
    [InlineData("const seen = 'leak' in globalThis; try { globalThis.leak = this.secret; } catch { } return seen;")]
    [InlineData(
        "const seen = 'leak' in globalThis; try { Object.defineProperty(globalThis, 'leak', { value: 1 }); } catch { } return seen;"
    )]
    [InlineData("const seen = {}.leak !== undefined; try { Object.prototype.leak = this.secret; } catch { } return seen;")]
    [InlineData("const seen = {}.leak !== undefined; try { ({}).__proto__.leak = this.secret; } catch { } return seen;")]
    [InlineData(
        "const seen = {}.leak !== undefined; try { Object.setPrototypeOf(Object.prototype, { leak: this.secret }); } catch { } return seen;"
    )]
    [InlineData("const seen = [].leak !== undefined; try { Array.prototype.leak = this.secret; } catch { } return seen;")]
    [InlineData("const seen = [].push.call([], 1) !== 1; try { Array.prototype.push = () => this.secret; } catch { } return seen;")]
    [InlineData("const seen = Date.now() === 1; try { Date.now = () => 1; } catch { } return seen;")]
    [InlineData("const seen = Math.max(1, 2) === 1; try { Math.max = () => 1; } catch { } return seen;")]
    [InlineData("const seen = JSON.stringify(1) === 'x'; try { JSON.stringify = () => 'x'; } catch { } return seen;")]
    [InlineData("const seen = JSON.parse('1') === 'x'; try { JSON.parse = () => 'x'; } catch { } return seen;")]
    [InlineData("const seen = say.leak !== undefined; try { say.leak = this.secret; } catch { } return seen;")]
    [InlineData(
        "const seen = RegExp.$1 || RegExp.input || RegExp.lastMatch || RegExp['$&']; /(.*)/.exec(this.secret); return seen ? true : false;"
    )]
    [InlineData("const seen = RegExp.input; try { RegExp.input = this.secret; } catch { } return seen ? true : false;")]
    [InlineData("const r = /x/g; const seen = r.lastIndex !== 0; r.test('xx'); return seen;")]
    [InlineData("function f() { } const seen = f.leak !== undefined; f.leak = this.secret; return seen;")]
    [InlineData("const f = () => { }; const seen = f.leak !== undefined; f.leak = this.secret; return seen;")]
    [InlineData("class A { static leak; } const seen = A.leak !== undefined; A.leak = this.secret; return seen;")]
    [InlineData(
        "const t = (x => x)`a`; let seen = false; try { seen = t.leak !== undefined; t.leak = this.secret; } catch { } return seen;"
    )]
    [InlineData(
        "const p = Object.getPrototypeOf(function* () { }); const seen = p.leak "
            + "!== undefined; try { p.leak = this.secret; } catch { } return seen;"
    )]
    [InlineData(
        "const p = Object.getPrototypeOf(Object.getPrototypeOf((function* () { })())); const "
            + "seen = p.leak !== undefined; try { p.leak = this.secret; } catch { } return seen;"
    )]
    [InlineData(
        "const p = Object.getPrototypeOf([].values()); const seen = p.leak "
            + "!== undefined; try { p.leak = this.secret; } catch { } return seen;"
    )]
    [InlineData(
        "const p = Object.getPrototypeOf([].values().filter(x => x)); const seen = "
            + "p.leak !== undefined; try { p.leak = this.secret; } catch { } return seen;"
    )]
    [InlineData(
        "const p = Object.getPrototypeOf('a'.matchAll(/a/g)); const seen = p.leak "
            + "!== undefined; try { p.leak = this.secret; } catch { } return seen;"
    )]
    [InlineData(
        "const p = Object.getPrototypeOf(Iterator.from({ next() { } })); const seen "
            + "= p.leak !== undefined; try { p.leak = this.secret; } catch { } return seen;"
    )]
    [InlineData(
        "const g = Object.getOwnPropertyDescriptor(arguments, 'callee').get; const seen "
            + "= g.leak !== undefined; try { g.leak = this.secret; } catch { } return seen;"
    )]
    [InlineData(
        "const seen = new Error('a').message !== 'a' || Error.prototype.leak !== "
            + "undefined; try { Error.prototype.leak = this.secret; } catch { } return seen;"
    )]
    [InlineData("const seen = (0).leak !== undefined; try { Number.prototype.leak = this.secret; } catch { } return seen;")]
    [InlineData("const seen = ''.leak !== undefined; try { String.prototype.leak = this.secret; } catch { } return seen;")]
    [InlineData("const seen = Symbol.leak !== undefined; try { Symbol.leak = this.secret; } catch { } return seen;")]
    [InlineData("const seen = args.n.leak !== undefined; try { args.n.leak = this.secret; } catch { } return seen;")]
    [InlineData("const seen = Error.stackTraceLimit === 3; try { Error.stackTraceLimit = 3; } catch { } return seen;")]
    [InlineData(
        "const d = Object.getOwnPropertyDescriptor(Object.prototype, 'constructor'); const seen "
            + "= d.get.leak !== undefined; try { d.get.leak = this.secret; } catch { } return seen;"
    )]
    public void Nothing_is_left_for_the_next_call(string source)
    {
        using var context = Bench.Compile(source).Rent();
        for (int call = 0; call < 3; call++)
            Assert.Equal("false", Bench.Call(context, """{"secret":"s3cret"}""", """{"n":9007199254740993}"""));
    }

    [Theory]
    [InlineData("eval('1')")]
    [InlineData("(0, eval)('1')")]
    [InlineData("Function('return 1')()")]
    [InlineData("(() => 1).constructor('return 1')()")]
    [InlineData("Object.getPrototypeOf(function* () { }).constructor('yield 1')")]
    [InlineData("new Promise(() => 1)")]
    [InlineData("new WeakRef({})")]
    [InlineData("new SharedArrayBuffer(1)")]
    [InlineData("new Uint8Array(1)")]
    [InlineData("console.log(1)")]
    [InlineData("WebAssembly.compile")]
    [InlineData("host.say('x')")]
    [InlineData("json.parse('x')")]
    [InlineData("Array.fromAsync([])")]
    public void What_scripts_may_not_have_is_not_there(string expression) =>
        Assert.Throws<ScriptRuntimeException>(() => Bench.Run($"return String({expression});"));

    [Fact]
    public void Everything_that_can_be_reached_is_frozen()
    {
        var loose = Bench.Run(
            """
            const seen = new Set(), waiting = [[globalThis, 'globalThis']], loose = [];
            while (waiting.length) {
              const [value, path] = waiting.pop();
              if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue;
              seen.add(value);
              if (!Object.isFrozen(value)) loose.push(path);
              waiting.push([Object.getPrototypeOf(value), path + '.[[prototype]]']);
              for (const key of Reflect.ownKeys(value)) {
                const p = Object.getOwnPropertyDescriptor(value, key);
                for (const part of ['value', 'get', 'set']) waiting.push([p[part], path + '.' + String(key)]);
              }
            }
            return loose;
            """
        );
        Assert.Equal("[]", loose);
    }

    [Theory]
    [InlineData("}}); globalThis.out = 1; (function(){ return function(){")]
    [InlineData("}, function(){")]
    [InlineData("} } /*")]
    [InlineData("*/ }")]
    [InlineData("return 1; //")]
    [InlineData("`")]
    public void A_text_that_would_close_what_is_around_it_does_not_compile_or_stays_inside(string source)
    {
        if (source.StartsWith("return"))
            Assert.Equal("1", Bench.Run(source));
        else
            Assert.Throws<ScriptSyntaxException>(() => Bench.Compile(source));
    }

    [Theory]
    [InlineData("async function f() { }")]
    [InlineData("// what follows is.\nasync function f() { }")]
    [InlineData("const f = async () => 1;")]
    [InlineData("const o = { async f() { } };")]
    [InlineData("const o = { async/**/f() { } };")]
    [InlineData("const a = [...async function() { }];")]
    [InlineData("const f = async\tx => x;")]
    [InlineData("return import('x');")]
    [InlineData("return import\n('x');")]
    public void Asynchronous_code_is_refused_with_its_place(string source)
    {
        var error = Assert.Throws<ScriptSyntaxException>(() => Bench.Compile(source));
        Assert.NotNull(error.Line);
        Assert.NotNull(error.Column);
    }

    [Theory]
    [InlineData("this.async = true; return this.async;")]
    [InlineData("return { async: true }.async;")]
    [InlineData("const asynchronous = true; return asynchronous;")]
    public void The_word_async_may_be_a_name(string source) => Assert.Equal("true", Bench.Run(source));

    [Fact]
    public void Names_of_frozen_members_can_be_given_to_documents_and_errors() =>
        Assert.Equal(
            """{"constructor":"ACME","toString":1,"e":"Mine: x"}""",
            Bench.Run(
                "this.constructor = 'ACME'; this.toString = 1; class Mine extends Error { constructor(m) "
                    + "{ super(m); this.name = 'Mine'; } } this.e = String(new Mine('x')); return this;"
            )
        );
}

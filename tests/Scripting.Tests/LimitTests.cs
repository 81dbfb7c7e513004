using Jackdaw.Scripting.Errors;
using Xunit;

namespace Jackdaw.Scripting.Tests;

public class LimitTests
{
    [Theory]
    [InlineData("for (;;) { }")]
    [InlineData("try { for (;;) { } } finally { for (;;) { } }")]
    [InlineData("while (true) try { throw 1; } catch { }")]
    [InlineData("const f = () => { try { f(); } catch { f(); } }; f();")]
    [InlineData("new Array(2 ** 32 - 1).fill(0);")]
    [InlineData("new Array(2 ** 30).reverse();")]
    [InlineData("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);")]
    [InlineData("[...(function* () { for (;;) yield 1; })()];")]
    [InlineData("return { toJSON() { for (;;) { } } };")]
    [InlineData("return new Proxy({}, { ownKeys() { for (;;) { } } });")]
    [InlineData("throw { get message() { for (;;) { } } };")]
    [InlineData("const a = []; for (;;) a.push({ n: a.length });")]
    [InlineData("const a = []; for (;;) a.push(new Array(1000).fill('x').join(''));")]
    [InlineData("for (;;) echo('x');")]
    public void What_does_not_end_is_ended_at_its_time_limit(string source)
    {
        var script = Bench.Compile(source);
        using (var context = script.Rent())
        {
            var error = Assert.Throws<ScriptLimitException>(() => Bench.Call(context, limits: Bench.Short));
            Assert.Contains("50 ms", error.Message);
            // What was ended is thrown away.
            Assert.Throws<ObjectDisposedException>(() => Bench.Call(context));
        }
        Assert.Equal("1", Bench.Run("return 1;"));
    }

    [Fact]
    public void A_runaway_regular_expression_ends() =>
        Assert.True(
            ProcessorTime.IsWithin(
                TimeSpan.FromSeconds(30),
                () => Assert.Throws<ScriptLimitException>(() => Bench.Run("return /(a+)+b/.exec('a'.repeat(40));", limits: Bench.Short))
            )
        );

    [Theory]
    [InlineData("(function f() { f(); })();")]
    [InlineData("(function f() { return [1].map(f); })();")]
    [InlineData("const f = () => echo(f()); f();")]
    [InlineData("const o = { get x() { return o.x; } }; return o.x;")]
    [InlineData("const o = {}; o.toJSON = () => JSON.stringify(o); return o;")]
    public void Runaway_recursion_is_a_range_error_of_the_script(string source)
    {
        var error = Assert.Throws<ScriptRuntimeException>(() => Bench.Run(source));
        Assert.Contains("RangeError", error.Message);
        Assert.Equal("1", Bench.Run("return 1;"));
    }

    [Theory]
    [InlineData("return 'x'.repeat(2 ** 30);")]
    [InlineData("return 'x'.padStart(2 ** 30);")]
    [InlineData("let s = 'x'; for (;;) s += s;")]
    [InlineData("return 2n ** (2n ** 40n) > 0n;")]
    public void Wild_allocation_in_one_expression_is_a_range_error(string source) =>
        Assert.Contains("RangeError", Assert.Throws<ScriptRuntimeException>(() => Bench.Run(source)).Message);

    [Fact]
    public void A_result_over_its_limit_is_refused_and_the_context_goes_on()
    {
        using var context = Bench.Compile("return 'x'.repeat(args.n);").Rent();
        var limits = Bench.Patient with { MaxResultLength = 1000 };
        Assert.Contains("1,000", Assert.Throws<ScriptLimitException>(() => Bench.Call(context, "{}", """{"n":999}""", limits)).Message);
        Assert.Equal(1000, Bench.Call(context, "{}", """{"n":998}""", limits)!.Length);
    }

    [Fact]
    public void A_text_over_the_limit_cannot_be_handed_to_the_host()
    {
        var limits = Bench.Patient with { MaxResultLength = 1000 };
        Assert.Throws<ScriptLimitException>(() => Bench.Run("try { echo('x'.repeat(1001)); } catch { } return 1;", limits: limits));
    }

    [Fact]
    public void A_result_nested_deeper_than_the_stack_is_a_range_error_and_one_of_documents_depth_is_none()
    {
        const string Nest = "let o = {}; for (let i = 0; i < args.n; i++) o = { o }; return o;";
        Assert.Equal((500 * 6) + 2, Bench.Run(Nest, "{}", """{"n":500}""")!.Length);
        Assert.Contains("RangeError", Assert.Throws<ScriptRuntimeException>(() => Bench.Run(Nest, "{}", """{"n":200000}""")).Message);
    }

    [Fact]
    public void A_large_document_goes_in_and_out()
    {
        var text = new string('ü', 4 << 20);
        Assert.Equal($$"""{"a":"{{text}}","b":1}""", Bench.Run("this.b = 1; return this;", $$"""{"a":"{{text}}"}"""));
    }

    [Fact]
    public void A_source_over_its_limit_is_refused() =>
        Assert.Contains(
            "262,144",
            Assert.Throws<ScriptSyntaxException>(() => Bench.Compile(new string(' ', ScriptLimits.MaxSourceLength + 1))).Message
        );

    [Fact]
    public void A_heap_over_its_limit_after_a_call_is_thrown_away()
    {
        // Held by what is running: what only waits for the collector is collected first and counts for nothing.
        var limits = Bench.Patient with
        {
            MaxHeapBytes = 1,
        };
        using var context = Bench.Compile("const a = []; for (let i = 0; i < 300000; i++) a.push({ i }); return 1;").Rent();
        Assert.Equal("1", Bench.Call(context, limits: limits));
        Assert.Throws<ObjectDisposedException>(() => Bench.Call(context));
    }
}

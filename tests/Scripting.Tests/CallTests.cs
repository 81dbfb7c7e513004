using Jackdaw.Scripting.Errors;
using Xunit;

namespace Jackdaw.Scripting.Tests;

public class CallTests
{
    [Fact]
    public void A_script_sees_its_document_as_this_and_its_parameters_and_gives_back_json() =>
        Assert.Equal(
            """{"name":"Ada","twice":42}""",
            Bench.Run("this.twice = args.n * 2; return this;", """{"name":"Ada"}""", """{"n":21}""")
        );

    [Fact]
    public void A_script_that_returns_nothing_gives_back_nothing() => Assert.Null(Bench.Run("this.x = 1;"));

    [Fact]
    public void A_script_that_returns_a_function_gives_back_nothing() => Assert.Null(Bench.Run("return () => 1;"));

    [Fact]
    public void Text_of_every_plane_comes_through() =>
        Assert.Equal("\"grün 漢字 🎈 \\u0000\"", Bench.Run("return this.t + echo(' 🎈 \\u0000');", """{"t":"grün 漢字"}"""));

    [Fact]
    public void A_callback_can_throw_into_the_script_which_can_catch_it() =>
        Assert.Equal("\"no such thing\"", Bench.Run("try { fail('script'); } catch (e) { return e.message; }"));

    [Fact]
    public void An_uncaught_error_of_a_callback_carries_the_place_of_its_call()
    {
        var error = Assert.Throws<ScriptRuntimeException>(() => Bench.Run("let a = 1;\n  fail('script');"));
        Assert.Equal("Error: no such thing", error.Reason);
        Assert.Equal(2, error.Line);
    }

    [Fact]
    public void Another_exception_of_a_callback_ends_the_script_whatever_it_catches()
    {
        Bench.Said.Clear();
        var error = Assert.Throws<InvalidTimeZoneException>(() =>
            Bench.Run("try { fail('host'); } catch { } say('still here'); return 1;")
        );
        Assert.Equal("host", error.Message);
        Assert.DoesNotContain("still here", Bench.Said);
    }
}

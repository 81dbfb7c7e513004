using Jackdaw.Scripting.Errors;
using Xunit;

namespace Jackdaw.Scripting.Tests;

/// <summary>Errors name the place in the author's text, not in ours around it.</summary>
public class ErrorPlaceTests
{
    [Theory]
    [InlineData("let a = ;", 1, 9)]
    [InlineData("let a = 1;\nlet b = ;", 2, 9)]
    [InlineData("\n\n   return (1;", 3, 13)]
    [InlineData("if (x {", 1, 7)]
    [InlineData("with (this) { }", 1, null)]
    [InlineData("let a = 1;\nlet a = 2;", 2, null)]
    [InlineData("let x = 'abc", 1, null)]
    [InlineData("function f( {", 1, null)]
    public void A_syntax_error_names_its_line_and_where_it_can_its_column(string source, int line, int? column)
    {
        var error = Assert.Throws<ScriptSyntaxException>(() => Bench.Compile(source));
        Assert.Equal(line, error.Line);
        if (column is not null)
            Assert.Equal(column, error.Column);
        Assert.Contains($"line {line}", error.Message);
    }

    [Theory]
    [InlineData("throw new Error('hi');", "Error: hi", 1, 16)]
    [InlineData("let a = 1;\n   throw new TypeError('hi');", "TypeError: hi", 2, 23)]
    [InlineData("let a = {};\n\na.b.c = 1;", "TypeError: undefined is not an object (evaluating 'a.b.c = 1')", 3, 4)]
    [InlineData("undeclared = 1;", "ReferenceError: Can't find variable: undeclared", 1, null)]
    [InlineData("function f() {\n  null.x;\n}\nf();", "TypeError: null is not an object (evaluating 'null.x')", 2, 7)]
    [InlineData("throw 'text';", "text", null, null)]
    [InlineData("throw { code: 5 };", "{\"code\":5}", null, null)]
    [InlineData("throw '\\ud800 half';", "\uFFFD half", null, null)]
    [InlineData("throw () => 1;", "The script threw a value that has no text.", null, null)]
    [InlineData("throw null;", "null", null, null)]
    [InlineData("throw Symbol('s');", "Symbol(s)", null, null)]
    [InlineData("throw { get message() { throw 1; } };", "The script threw a value that has no text.", null, null)]
    public void A_runtime_error_names_its_place(string source, string reason, int? line, int? column)
    {
        var error = Assert.Throws<ScriptRuntimeException>(() => Bench.Run(source));
        Assert.Equal(reason, error.Reason);
        Assert.Equal(line, error.Line);
        if (column is not null)
            Assert.Equal(column, error.Column);
    }

    [Fact]
    public void The_stack_lists_the_authors_functions()
    {
        var error = Assert.Throws<ScriptRuntimeException>(() =>
            Bench.Run("function inner() {\n  throw new Error('x');\n}\nfunction outer() { inner(); }\nouter();")
        );
        var frames = error.ScriptStack.Split('\n');
        Assert.Equal(3, frames.Length);
        Assert.StartsWith("at inner (2:", frames[0]);
        Assert.StartsWith("at outer (4:", frames[1]);
        Assert.Contains("(5:", frames[2]);
    }

    [Theory]
    [InlineData("const e = new Error('x'); e.stack = 'f@script.js:999999999999999:1'; throw e;")]
    [InlineData("const e = new Error('x'); e.stack = 'script.js:::'; throw e;")]
    [InlineData("const e = new Error('x'); e.stack = {}; throw e;")]
    [InlineData("const e = new Error('x'); e.line = 1.5; throw e;")]
    [InlineData("const e = new Error('x'); e.line = 1e99; throw e;")]
    [InlineData("const e = new Error('x'); e.line = NaN; throw e;")]
    public void A_stack_that_the_script_made_up_harms_nobody(string source) =>
        Assert.Equal("Error: x", Assert.Throws<ScriptRuntimeException>(() => Bench.Run(source)).Reason);
}

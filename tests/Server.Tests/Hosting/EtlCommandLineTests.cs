using Jackdaw.Server.Configuration;
using Jackdaw.Server.Hosting;

namespace Jackdaw.Server.Tests.Hosting;

public sealed class EtlCommandLineTests
{
    [Fact]
    public void Words_switches_options_and_settings_are_told_apart_in_any_order()
    {
        var line = new EtlCommandLine([
            "dead-letters",
            "--task",
            "Orders out",
            "retry",
            "--all",
            "shop",
            "--Logs.MinLevel=Error",
            "--id=x=y",
            "--ServerUrl",
            "http://127.0.0.1:1",
            "--as-stored",
        ]);
        Assert.Equal(["dead-letters", "retry", "shop"], line.Words);
        Assert.Equal(["--Logs.MinLevel=Error", "--ServerUrl", "http://127.0.0.1:1"], line.Settings);
        Assert.Equal(("Orders out", "x=y", null), (line.Option("--task"), line.Option("--id"), line.Option("--state")));
        Assert.Equal((true, true, false), (line["--all"], line["--as-stored"], line["--yes"]));
    }

    [Fact]
    public void A_url_is_where_to_ask_wherever_that_is()
    {
        var line = new EtlCommandLine(["status", "--url", "http://192.0.2.7:8080"]);
        Assert.Equal("http://192.0.2.7:8080/", line.Server.Read(line.Settings).ServerUrl.ToString());
        Assert.Throws<ConfigurationException>(() => new EtlCommandLine(["status", "--url"]));
    }

    [Theory]
    [InlineData]
    [InlineData("reset", "shop")]
    [InlineData("dead-letters", "keep", "shop")]
    [InlineData("dead-letters", "purge", "shop")]
    public async Task A_line_that_makes_no_sense_is_refused_before_anything_is_asked(params string[] arguments) =>
        await Assert.ThrowsAsync<ConfigurationException>(() =>
            EtlCommand.RunAsync([.. arguments, "--url=http://127.0.0.1:1"], TextReader.Null, TextWriter.Null)
        );

    /// <summary>What restricts a purge must not be lost to a slip of the pen.</summary>
    [Theory]
    [InlineData("--tsk=Orders")]
    [InlineData("--all=true")]
    [InlineData("--nonsense")]
    public async Task What_is_neither_an_option_nor_a_setting_is_refused(string argument)
    {
        var refusal = Assert.Throws<ConfigurationException>(() =>
            new EtlCommandLine(["dead-letters", "purge", "shop", "--all", "--yes", argument])
        );
        Assert.Contains(argument, refusal.Message);
        refusal = await Assert.ThrowsAsync<ConfigurationException>(() =>
            OnlineCopyCommand.RunAsync(["shop", "/nowhere", argument], TextWriter.Null)
        );
        Assert.Contains(argument, refusal.Message);
    }

    [Fact]
    public async Task A_server_that_is_not_there_is_named_with_what_names_another()
    {
        foreach (
            var run in new Func<Task>[]
            {
                () => EtlCommand.RunAsync(["status", "--url=http://127.0.0.1:1"], TextReader.Null, TextWriter.Null),
                () => OnlineCopyCommand.RunAsync(["shop", "/nowhere", "--url", "http://127.0.0.1:1"], TextWriter.Null),
            }
        )
            Assert.StartsWith("No server answers at http://127.0.0.1:1/", (await Assert.ThrowsAsync<HttpRequestException>(run)).Message);
    }

    [Fact]
    public void A_table_has_its_numbers_to_the_right_and_one_line_a_row()
    {
        var table = new TextTable("NAME", "COUNT", "WHY");
        table.Add("a", "1,200", "two\nlines");
        table.Add("longer", "7", "");
        var output = new StringWriter { NewLine = "\n" };
        table.Write(output);
        Assert.Equal("NAME    COUNT  WHY\na       1,200  two lines\nlonger      7\n", output.ToString());
    }
}

using Jackdaw.Server.Configuration;
using Jackdaw.Server.Hosting;

namespace Jackdaw.Server.Tests.Hosting;

public sealed class EtlCommandLineTests
{
    [Fact]
    public void Words_switches_options_and_settings_are_told_apart_in_any_order()
    {
        var line = EtlCommandLine.Parse(["dead-letters", "--task", "Orders out", "retry", "--all", "shop", "--Logs.MinLevel=Error", "--id=x=y", "--ServerUrl", "http://127.0.0.1:1", "--as-stored"]);
        Assert.Equal(["dead-letters", "retry", "shop"], line.Words);
        Assert.Equal(["--Logs.MinLevel=Error", "--ServerUrl", "http://127.0.0.1:1"], line.Settings);
        Assert.Equal(("Orders out", "x=y", null), (line.Option("--task"), line.Option("--id"), line.Option("--state")));
        Assert.Equal((true, true, false), (line["--all"], line["--as-stored"], line["--yes"]));
    }

    [Fact]
    public void A_url_is_where_to_ask_wherever_that_is()
    {
        var line = EtlCommandLine.Parse(["status", "--url", "http://192.0.2.7:8080"]);
        Assert.Equal("http://192.0.2.7:8080/", ServerConfiguration.Read(line.Settings, new System.Collections.Hashtable()).ServerUrl.ToString());
        Assert.Throws<ConfigurationException>(() => EtlCommandLine.Parse(["status", "--url"]));
    }

    [Theory]
    [InlineData]
    [InlineData("reset", "shop")]
    [InlineData("dead-letters", "keep", "shop")]
    [InlineData("dead-letters", "purge", "shop")]
    public async Task A_line_that_makes_no_sense_is_refused_before_anything_is_asked(params string[] arguments) =>
        await Assert.ThrowsAsync<ConfigurationException>(() => EtlCommand.RunAsync([.. arguments, "--url=http://127.0.0.1:1"], TextReader.Null, TextWriter.Null));

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

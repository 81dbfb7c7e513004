using Jackdaw.Server.Hosting;

namespace Jackdaw.Server.Tests.Hosting;

public sealed class TextTableTests
{
    [Fact]
    public void A_cell_takes_one_line_and_no_terminal_obeys_what_is_in_it()
    {
        var table = new TextTable("ID", "REASON");
        table.Add("a\u0001b", "first\nsecond\u001b[2J");
        using var output = new StringWriter();
        table.Write(output);
        var text = output.ToString();
        Assert.Contains("a\\u0001b", text, StringComparison.Ordinal);
        Assert.Contains("first second\\u001b[2J", text, StringComparison.Ordinal);
        Assert.DoesNotContain(text, letter => char.IsControl(letter) && letter != '\n');
        Assert.Equal(2, text.TrimEnd('\n').Split('\n').Length);
    }
}

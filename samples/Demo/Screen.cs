namespace Jackdaw.Demo;

/// <summary>What the demo prints: lines with a label. Thread-safe.</summary>
internal sealed class Screen(TextWriter output)
{
    private const int LabelWidth = 11;
    private readonly TextWriter _output = TextWriter.Synchronized(output);

    /// <summary>Prints a line as it is.</summary>
    public void Say(string text = "") => _output.WriteLine(text);

    /// <summary>Prints an indented line with a label in a column of its own.</summary>
    public void Say(string label, string text) => _output.WriteLine($"  {label.PadRight(LabelWidth)} {text}");
}

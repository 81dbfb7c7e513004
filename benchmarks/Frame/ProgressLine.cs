namespace Jackdaw.Bench.Frame;

/// <summary>Tells on standard error what is going on: one line that is overwritten on a terminal, a line a run elsewhere.</summary>
internal sealed class ProgressLine
{
    private readonly bool _terminal = !Console.IsErrorRedirected;
    private int _shown;

    /// <summary>Shows what is being done now (terminals only).</summary>
    public void Show(string words)
    {
        if (!_terminal)
            return;
        int width = Math.Max(20, Console.WindowWidth - 1);
        string line = words.Length > width ? words[..width] : words;
        Console.Error.Write("\r" + line.PadRight(_shown));
        _shown = line.Length;
    }

    /// <summary>Shows what a run brought out.</summary>
    public void Note(string title, string result)
    {
        if (_terminal)
            Show($"{title}: {result}");
        else
            Console.Error.WriteLine($"{title}: {result}");
    }

    public void Clear()
    {
        if (_terminal && _shown > 0)
            Console.Error.Write("\r" + new string(' ', _shown) + "\r");
        _shown = 0;
    }
}

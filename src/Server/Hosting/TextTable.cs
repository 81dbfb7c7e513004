using Jackdaw.Documents.Errors;

namespace Jackdaw.Server.Hosting;

/// <summary>Lines in columns, for a person to read. A cell takes one line: line breaks in it become spaces, other control characters
/// their escapes.</summary>
internal sealed class TextTable(params string[] heads)
{
    private readonly List<string[]> _rows = [heads];

    /// <summary>As many cells as there are columns.</summary>
    public void Add(params string[] cells)
    {
        Storage.Invariant.Require(cells.Length == _rows[0].Length);
        _rows.Add(cells.Select(Clean).ToArray());
    }

    public void Write(TextWriter output)
    {
        var widths = Enumerable.Range(0, _rows[0].Length).Select(column => _rows.Max(row => row[column].Length)).ToArray();
        foreach (var row in _rows)
            output.WriteLine(
                string.Join(
                        "  ",
                        row.Select((cell, column) => IsNumber(column) ? cell.PadLeft(widths[column]) : cell.PadRight(widths[column]))
                    )
                    .TrimEnd()
            );
    }

    private bool IsNumber(int column) =>
        _rows.Count > 1
        && _rows.Skip(1).All(row => row[column].Length > 0 && row[column].All(letter => char.IsDigit(letter) || letter is ',' or '.'));

    /// <summary>White space becomes a space; other control characters, which a terminal obeys, are shown escaped.</summary>
    private static string Clean(string text) =>
        ShownText.Of(string.Concat(text.Select(letter => char.IsWhiteSpace(letter) ? ' ' : letter)));
}

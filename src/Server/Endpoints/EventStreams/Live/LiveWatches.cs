using System.Text;
using Jackdaw.Documents;

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>
/// Who follows which streams, or which tags. Events name them by number, readers by text: numbers that were met are remembered with
/// who follows them, mostly nobody. Not thread-safe.
/// </summary>
internal sealed class LiveWatches
{
    /// <summary>Numbers that are remembered; beyond it all are forgotten.</summary>
    private const int KeptNumbers = 65_536;

    private readonly Dictionary<string, List<LiveReader>> _byText = new(StringComparer.Ordinal);
    private readonly Dictionary<long, List<LiveReader>?> _byNumber = [];

    /// <summary>Nobody follows any.</summary>
    public bool IsEmpty => _byText.Count == 0;

    public void Add(string text, LiveReader reader)
    {
        if (!_byText.TryGetValue(text, out var readers))
        {
            _byText.Add(text, readers = new List<LiveReader>(1));
            _byNumber.Clear();
        }
        readers.Add(reader);
    }

    public void Remove(string text, LiveReader reader)
    {
        var readers = _byText[text];
        var at = readers.LastIndexOf(reader);
        readers[at] = readers[^1];
        readers.RemoveAt(readers.Count - 1);
        if (readers.Count > 0)
            return;
        _byText.Remove(text);
        _byNumber.Clear();
    }

    /// <summary>Who follows a number; null: nobody. False: the number's text is needed to tell.</summary>
    public bool TryGet(long number, out List<LiveReader>? readers)
    {
        readers = null;
        return IsEmpty || _byNumber.TryGetValue(number, out readers);
    }

    /// <summary>Remembers who follows a number, by its text.</summary>
    public void Learn(long number, ReadOnlySpan<byte> text)
    {
        Span<char> characters = stackalloc char[Limits.MaxEventTextBytes];
        characters = characters[..Encoding.UTF8.GetChars(text, characters)];
        _byText.GetAlternateLookup<ReadOnlySpan<char>>().TryGetValue(characters, out var readers);
        if (_byNumber.Count >= KeptNumbers)
            _byNumber.Clear();
        _byNumber[number] = readers;
    }
}

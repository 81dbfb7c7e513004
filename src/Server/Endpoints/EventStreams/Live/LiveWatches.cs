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

    private readonly Dictionary<string, List<LiveWatch>> _byText = new(StringComparer.Ordinal);
    private readonly Dictionary<long, List<LiveWatch>?> _byNumber = [];

    /// <summary>Nobody follows any.</summary>
    public bool IsEmpty => _byText.Count == 0;

    public void Add(string text, LiveWatch watch)
    {
        if (!_byText.TryGetValue(text, out var watches))
        {
            _byText.Add(text, watches = new List<LiveWatch>(1));
            _byNumber.Clear();
        }
        watches.Add(watch);
    }

    public void Remove(string text, LiveReader reader)
    {
        var watches = _byText[text];
        var at = watches.FindLastIndex(watch => watch.Reader == reader);
        watches[at] = watches[^1];
        watches.RemoveAt(watches.Count - 1);
        if (watches.Count > 0)
            return;
        _byText.Remove(text);
        _byNumber.Clear();
    }

    /// <summary>Who follows a number; null: nobody. False: the number's text is needed to tell.</summary>
    public bool TryGet(long number, out List<LiveWatch>? watches)
    {
        watches = null;
        return IsEmpty || _byNumber.TryGetValue(number, out watches);
    }

    /// <summary>Remembers who follows a number, by its text.</summary>
    public void Learn(long number, ReadOnlySpan<byte> text)
    {
        Span<char> characters = stackalloc char[Limits.MaxEventTextBytes];
        characters = characters[..Encoding.UTF8.GetChars(text, characters)];
        _byText.GetAlternateLookup<ReadOnlySpan<char>>().TryGetValue(characters, out var watches);
        if (_byNumber.Count >= KeptNumbers)
            _byNumber.Clear();
        _byNumber[number] = watches;
    }
}

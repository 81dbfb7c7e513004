using System.Globalization;
using Jackdaw.Scripting.Json;
using Jackdaw.Scripting.Native;

namespace Jackdaw.Scripting;

/// <summary>
/// Texts that go into one call together: as one long text and a list of their lengths, out of which the prelude cuts them
/// (<c>slice</c> copies nothing). Entering the
/// engine and making a value of it cost about as much for one small text as for all of them. Not thread-safe.
/// </summary>
public sealed class JoinedTexts
{
    /// <summary>A buffer larger than this is not kept.</summary>
    private const int KeptCharacters = 1 << 20;

    /// <summary>Digits of a length, and the comma behind it.</summary>
    private const int MaxLengthCharacters = 11;

    private readonly List<int> _ends = [];
    private char[] _characters = [];
    private char[] _lengths = [];

    /// <summary>Texts in it.</summary>
    public int Count => _ends.Count;

    /// <summary>UTF-16 units in it.</summary>
    public int Length => _ends.Count == 0 ? 0 : _ends[^1];

    /// <summary>Adds a text. Bytes that are not UTF-8 become U+FFFD.</summary>
    public void Add(ReadOnlySpan<byte> utf8)
    {
        int at = Length;
        // No text has more units than bytes.
        int needed = checked(at + utf8.Length);
        if (_characters.Length < needed)
            Array.Resize(ref _characters, Math.Max(needed, (int)Math.Min(Array.MaxLength, _characters.Length * 2L)));
        _ends.Add(at + NativeText.Write(utf8, _characters.AsSpan(at)));
    }

    /// <summary>Adds a JSON text for <c>json.parse</c>, marking the numbers in it that a double cannot hold.</summary>
    public void AddJson(ReadOnlySpan<byte> utf8) => Add(LossyNumbers.HasAny(utf8) ? LossyNumbers.MarkAll(utf8) : utf8);

    /// <summary>Forgets all texts and keeps the memory.</summary>
    public void Clear()
    {
        _ends.Clear();
        if (_characters.Length > KeptCharacters)
            _characters = [];
    }

    /// <summary>UTF-16 units of the texts from one on.</summary>
    internal int LengthFrom(int first) => Length - Start(first);

    /// <summary>The texts from one on, as one value.</summary>
    internal nint MakeText(nint context, int first) => NativeText.MakeValue(context, _characters.AsSpan(Start(first), LengthFrom(first)));

    /// <summary>Their lengths in UTF-16 units, a JSON array.</summary>
    internal nint MakeLengths(nint context, int first)
    {
        int most = 2 + (Count - first) * MaxLengthCharacters;
        if (_lengths.Length < most)
            _lengths = new char[most];
        int at = 0;
        for (int i = first; i < Count; i++)
        {
            _lengths[at++] = i == first ? '[' : ',';
            (_ends[i] - Start(i)).TryFormat(_lengths.AsSpan(at), out int written, provider: CultureInfo.InvariantCulture);
            at += written;
        }
        _lengths[at++] = ']';
        return NativeText.MakeValue(context, _lengths.AsSpan(0, at));
    }

    private int Start(int index) => index == 0 ? 0 : _ends[index - 1];
}

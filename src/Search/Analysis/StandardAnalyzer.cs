using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text;

namespace Jackdaw.Search.Analysis;

/// <summary>
/// Words by Unicode's rules (UAX #29), in lower case, without English stop words: a word is a run of letters, digits, marks and connectors;
/// an apostrophe, a full stop or a colon between letters and a comma or a full stop between digits belong to it; each ideograph is a word.
/// A word of more than <see cref="MaxWordBytes"/> bytes is divided.
/// </summary>
internal sealed class StandardAnalyzer : IAnalyzer
{
    /// <summary>Bytes of a word, as far as it is one term.</summary>
    internal const int MaxWordBytes = 255;

    [SkipLocalsInit]
    public void Analyze(ReadOnlySpan<byte> utf8, ITermSink sink)
    {
        Span<byte> word = stackalloc byte[MaxWordBytes + 4];
        uint position = 0;
        int at = 0;
        while (at < utf8.Length)
        {
            int length = ReadWord(utf8, ref at, word);
            if (length == 0)
                continue;
            if (!StopWords.Contains(word[..length]))
                sink.Add(word[..length], position);
            position++;
        }
    }

    /// <summary>Writes the next word in lower case and moves behind it. 0: there was none up to the end.</summary>
    private static int ReadWord(ReadOnlySpan<byte> utf8, ref int at, Span<byte> word)
    {
        int written = 0;
        var before = WordPart.None;
        while (at < utf8.Length)
        {
            var part = ReadRune(utf8[at..], out var rune, out int consumed);
            if (part is WordPart.Ideograph)
            {
                if (written == 0)
                {
                    at += consumed;
                    written = rune.EncodeToUtf8(word);
                }
                return written;
            }
            bool joins = part switch
            {
                WordPart.None => false,
                WordPart.Letter or WordPart.Digit or WordPart.Connector => true,
                WordPart.Mark => written > 0,
                _ => written > 0 && Joins(part, before, ReadRune(utf8[(at + consumed)..], out _, out _)),
            };
            if (!joins)
            {
                if (written > 0)
                    return written;
                at += consumed;
                continue;
            }
            if (written + consumed > MaxWordBytes)
                return written;
            at += consumed;
            written += Rune.ToLowerInvariant(rune).EncodeToUtf8(word[written..]);
            before = part == WordPart.Mark ? before : part;
        }
        return written;
    }

    /// <summary>Does a sign between two parts of words join them?</summary>
    private static bool Joins(WordPart sign, WordPart before, WordPart after) =>
        before == after
        && (
            before == WordPart.Letter
                ? sign is WordPart.BetweenLetters or WordPart.BetweenAny
                : before == WordPart.Digit && sign is WordPart.BetweenDigits or WordPart.BetweenAny
        );

    private static WordPart ReadRune(ReadOnlySpan<byte> utf8, out Rune rune, out int consumed)
    {
        if (utf8.IsEmpty)
        {
            rune = default;
            consumed = 0;
            return WordPart.None;
        }
        if (utf8[0] < 0x80)
        {
            rune = new Rune(utf8[0]);
            consumed = 1;
            return WordParts.OfAscii(utf8[0]);
        }
        // Invalid bytes are U+FFFD, a symbol: no part of a word.
        return Rune.DecodeFromUtf8(utf8, out rune, out consumed) == OperationStatus.Done ? WordParts.Of(rune) : WordPart.None;
    }
}

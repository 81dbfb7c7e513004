using System.Buffers.Text;
using System.Text;

namespace Jackdaw.Bench.Load;

/// <summary>
/// JSON documents of exactly 1,024 bytes: words and numbers drawn from a fixed seed (zstd halves them, more or less), a
/// collection in the metadata, and a ten-digit number that makes each one different.
/// </summary>
internal sealed class DocumentBodies : IBodies
{
    public const int Size = 1024;
    public const string Collection = "Items";
    private const int Count = 1024;
    private const int NumberDigits = 10;
    private const string Head = "{\"Number\":";
    private const string Tail = "\",\"@metadata\":{\"@collection\":\"" + Collection + "\"}}";

    private readonly byte[][] _bodies;

    public DocumentBodies()
    {
        var random = new Random(20_000);
        string[] words = [.. Enumerable.Range(0, 500).Select(_ => Word(random))];
        _bodies = [.. Enumerable.Range(0, Count).Select(_ => Body(random, words))];
    }

    /// <summary>The body with its number in place, in the writer's own buffer of <see cref="Size"/> bytes.</summary>
    public void Write(long number, Span<byte> destination)
    {
        _bodies[(int)(Scatter(number) % Count)].CopyTo(destination);
        Span<byte> digits = destination.Slice(Head.Length, NumberDigits);
        // A JSON number has no leading zeros, so it begins with a one.
        Utf8Formatter.TryFormat((ulong)(1_000_000_000 + number % 1_000_000_000), digits, out _);
    }

    public int LongestBody => Size;

    public int WriteBody(long number, Span<byte> destination)
    {
        Write(number, destination[..Size]);
        return Size;
    }

    public byte[] Create(long number)
    {
        byte[] body = new byte[Size];
        Write(number, body);
        return body;
    }

    /// <summary>Some of the bodies as lines of text, for load generators of other languages.</summary>
    public IEnumerable<string> Lines(int count) => Enumerable.Range(0, count).Select(i => Encoding.UTF8.GetString(Create(i)));

    private static ulong Scatter(long number) => ((ulong)number * 0x9E3779B97F4A7C15) >> 40;

    private static byte[] Body(Random random, string[] words)
    {
        var text = new StringBuilder(Head)
            .Append(1_000_000_000)
            .Append(",\"Name\":\"")
            .Append(words[random.Next(words.Length)])
            .Append(' ')
            .Append(words[random.Next(words.Length)])
            .Append("\",\"Price\":")
            .Append(random.Next(100, 100_000))
            .Append(".25,\"Tags\":[\"")
            .Append(words[random.Next(words.Length)])
            .Append("\",\"")
            .Append(words[random.Next(words.Length)])
            .Append("\"],\"Token\":\"")
            .Append(Convert.ToHexString(Token(random)))
            .Append("\",\"Text\":\"");
        while (text.Length < Size - Tail.Length)
            text.Append(words[random.Next(words.Length)]).Append(' ');
        text.Length = Size - Tail.Length;
        byte[] body = Encoding.UTF8.GetBytes(text.Append(Tail).ToString());
        return body.Length == Size ? body : throw new InvalidOperationException($"a body has {body.Length} bytes");
    }

    private static byte[] Token(Random random)
    {
        byte[] token = new byte[64];
        random.NextBytes(token);
        return token;
    }

    private static string Word(Random random)
    {
        const string Consonants = "bcdfghklmnprstvw";
        const string Vowels = "aeiou";
        var word = new StringBuilder();
        for (int syllables = random.Next(1, 5); syllables > 0; syllables--)
            word.Append(Consonants[random.Next(Consonants.Length)]).Append(Vowels[random.Next(Vowels.Length)]);
        return word.ToString();
    }
}

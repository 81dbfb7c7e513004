using System.Globalization;
using System.Text;

namespace Jackdaw.Bench.Load;

/// <summary>
/// Documents of exactly 300 bytes: a unique number, a unique token in random order, one of five states and one of a hundred regions.
/// </summary>
internal sealed class SmallBodies : IBodies
{
    public const int Size = 300;
    public const string Collection = "Entries";
    public const int Regions = 100;
    private const string Tail = "\",\"@metadata\":{\"@collection\":\"" + Collection + "\"}}";
    private static readonly string[] s_states = ["New", "Open", "Held", "Closed", "Void"];
    private readonly string[] _texts = [.. new DocumentBodies().Lines(1024).Select(line => line[400..(400 + Size)])];

    /// <inheritdoc/>
    public int LongestBody => Size;

    /// <inheritdoc/>
    public int WriteBody(long number, Span<byte> destination)
    {
        ulong scattered = (ulong)number * 0x9E3779B97F4A7C15;
        long drawn = (long)(scattered >> 34);
        int length = Encoding.ASCII.GetBytes(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{{\"Number\":{number},\"Token\":\"{scattered:x16}\",\"State\":\"{s_states[drawn % s_states.Length]}\",\"Region\":\"r{drawn / 7 % Regions}\",\"Text\":\""
            ),
            destination
        );
        string text = _texts[drawn % _texts.Length];
        length += Encoding.ASCII.GetBytes(text.AsSpan(0, Size - Tail.Length - length), destination[length..]);
        return length + Encoding.ASCII.GetBytes(Tail, destination[length..]);
    }
}

using System.Buffers.Text;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>The runtime's parser, which knows this one form.</summary>
internal sealed class ParsedDatesOfRuntime(int dates) : ParsedDates("System.Text, with Z", withZone: true, dates)
{
    protected override bool TryParse(ReadOnlySpan<byte> text, out long utcTicks)
    {
        bool isRead = Utf8Parser.TryParse(text, out DateTime date, out int bytes, 'O') && bytes == text.Length;
        utcTicks = date.Ticks;
        return isRead;
    }
}

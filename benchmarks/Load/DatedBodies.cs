namespace Jackdaw.Bench.Load;

/// <summary>The documents of <see cref="DocumentBodies"/> with a date in <c>@expires</c> that passed long ago.</summary>
internal sealed class DatedBodies : IBodies
{
    private readonly DocumentBodies _bodies = new();

    private static ReadOnlySpan<byte> Date => ",\"@expires\":\"2020-01-01T00:00:00.0000000Z\"}}"u8;

    public int LongestBody => _bodies.LongestBody + Date.Length;

    public int WriteBody(long number, Span<byte> destination)
    {
        // In the place of the two braces that end the metadata and the document.
        int head = _bodies.WriteBody(number, destination) - 2;
        Date.CopyTo(destination[head..]);
        return head + Date.Length;
    }
}

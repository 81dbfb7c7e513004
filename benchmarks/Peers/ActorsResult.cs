using System.Globalization;

namespace Jackdaw.Bench.Peers;

/// <summary>What a run of a row brought out.</summary>
/// <param name="Events">That were persisted or recovered.</param>
/// <param name="Seconds">That this took.</param>
/// <param name="P50Ms">The median time from Persist to its handler, where events are persisted one at a time; otherwise 0.</param>
internal sealed record ActorsResult(long Events, double Seconds, double P50Ms)
{
    /// <summary>Reads <c>RESULT events seconds microseconds</c>.</summary>
    /// <exception cref="IOException">It tells of a failure.</exception>
    public static ActorsResult Parse(string line)
    {
        string[] words = line.Split(' ');
        if (words is not ["RESULT", var events, var seconds, var microseconds])
            throw new IOException(line);
        return new ActorsResult(
            long.Parse(events, CultureInfo.InvariantCulture),
            double.Parse(seconds, CultureInfo.InvariantCulture),
            double.Parse(microseconds, CultureInfo.InvariantCulture) / 1e3
        );
    }
}

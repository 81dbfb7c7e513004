using System.Text;
using Jackdaw.Documents.Errors;

namespace Jackdaw.Documents.Snapshots;

/// <summary>What a client says of a snapshot that it stores.</summary>
public sealed class NewSnapshot
{
    /// <summary>Checks the rules of a snapshot.</summary>
    /// <param name="stream">The stream id, 1 to 1,000 bytes of UTF-8.</param>
    /// <param name="number">Of the last event that it contains, at least 0.</param>
    /// <param name="ticks">UTC, up to the year 9999; null: the time of the transaction.</param>
    /// <param name="serializer">Any number.</param>
    /// <param name="manifest">At most 1,000 bytes in UTF-8.</param>
    /// <exception cref="InvalidSnapshotException">A rule is broken.</exception>
    public NewSnapshot(ReadOnlySpan<byte> stream, long number, long? ticks = null, int serializer = 0, string manifest = "")
    {
        RequireStream(stream);
        if (number < 0)
            throw new InvalidSnapshotException($"The snapshot's number is {number}; numbers begin at 0.");
        if (ticks is < 0 || ticks > DateTime.MaxValue.Ticks)
            throw new InvalidSnapshotException(
                $"The snapshot's ticks are {ticks}; they lie between 0 and {DateTime.MaxValue.Ticks} (the end of the year 9999)."
            );
        byte[] text = Encoding.UTF8.GetBytes(manifest);
        if (text.Length > Limits.MaxEventTextBytes)
            throw new InvalidSnapshotException(
                $"The snapshot's manifest has {text.Length:N0} bytes; the limit is {Limits.MaxEventTextBytes:N0} (fixed)."
            );
        Stream = stream.ToArray();
        Number = number;
        Ticks = ticks;
        Serializer = serializer;
        Manifest = text;
    }

    internal byte[] Stream { get; }

    internal long Number { get; }

    internal long? Ticks { get; }

    internal int Serializer { get; }

    internal byte[] Manifest { get; }

    internal static void RequireStream(ReadOnlySpan<byte> stream)
    {
        if (stream.Length is 0 or > Limits.MaxEventTextBytes)
            throw new InvalidSnapshotException(
                $"The stream id has {stream.Length:N0} bytes; a stream id has 1 to {Limits.MaxEventTextBytes:N0} (fixed)."
            );
    }
}

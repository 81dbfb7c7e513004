using System.Numerics;
using System.Text;

namespace Jackdaw.Simulation.Medium;

/// <summary>A hash over everything that happened, and the last of it in words.</summary>
public sealed class OperationTrace
{
    private const int Kept = 256;
    private readonly (long Number, string What, DiskOperation Operation, long Offset, long Length, DiskOutcome Outcome)[] _last = new (
        long,
        string,
        DiskOperation,
        long,
        long,
        DiskOutcome
    )[Kept];
    private ulong _hash = 14695981039346656037;
    private long _count;

    /// <summary>Equal for two runs of the same history.</summary>
    public ulong Hash => _hash;

    public long Count => _count;

    /// <summary>Where every entry is told as it happens; null: nowhere.</summary>
    public TextWriter? Output { get; set; }

    public void Add(DiskOperation operation, string path, long offset, long length, DiskOutcome outcome, ulong content = 0)
    {
        Mix((ulong)operation | ((ulong)outcome << 8));
        Mix(HashOf(path));
        Mix((ulong)offset);
        Mix((ulong)length);
        Mix(content);
        Keep((_count, path, operation, offset, length, outcome));
    }

    /// <summary>A step of the simulation itself.</summary>
    public void AddStep(string step, long value = 0)
    {
        Mix(HashOf(step));
        Mix((ulong)value);
        Keep((_count, "> " + step, default, value, -1, default));
    }

    /// <summary>The last entries, oldest first, one a line.</summary>
    public string Last(int lines)
    {
        var text = new StringBuilder();
        for (var i = Math.Max(0, _count - Math.Min(lines, Kept)); i < _count; i++)
            text.AppendLine(Format(_last[i % Kept]));
        return text.ToString();
    }

    private static string Format(
        (long Number, string What, DiskOperation Operation, long Offset, long Length, DiskOutcome Outcome) entry
    ) =>
        entry.Length < 0
            ? FormattableString.Invariant($"{entry.Number, 6} {entry.What} {entry.Offset}")
            : FormattableString.Invariant($"{entry.Number, 6}     {entry.Operation} {entry.What} @{entry.Offset} +{entry.Length}")
                + (entry.Outcome == DiskOutcome.Done ? "" : " " + entry.Outcome);

    private static ulong HashOf(string text)
    {
        var hash = 14695981039346656037;
        foreach (var c in text)
            hash = (hash ^ c) * 1099511628211;
        return hash;
    }

    private void Keep((long, string, DiskOperation, long, long, DiskOutcome) entry)
    {
        _last[_count++ % Kept] = entry;
        Output?.WriteLine(Format(entry));
    }

    private void Mix(ulong value) => _hash = BitOperations.RotateLeft((_hash ^ value) * 0x9E3779B97F4A7C15, 29);
}

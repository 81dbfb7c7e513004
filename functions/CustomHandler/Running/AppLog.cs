using System.Globalization;

namespace Jackdaw.Functions.CustomHandler.Running;

/// <summary>Lines on standard output, which the host puts into its log. Thread-safe.</summary>
/// <param name="output">Where they go.</param>
/// <param name="clock">Says when a line was the last of its kind.</param>
internal sealed class AppLog(TextWriter output, TimeProvider clock)
{
    /// <summary>Hundreds of messages can wait for one server.</summary>
    private static readonly TimeSpan s_pauseOfWaits = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private readonly Dictionary<string, (long At, int Omitted)> _waits = [];

    /// <summary>Writes a line.</summary>
    public void Write(string line)
    {
        lock (_lock)
            output.WriteLine(line.ReplaceLineEndings(" "));
    }

    /// <summary>Says why messages of a function wait: a line every ten seconds at most.</summary>
    public void Waits(string function, Exception fault, TimeSpan pause)
    {
        int omitted;
        lock (_lock)
        {
            var now = clock.GetTimestamp();
            if (_waits.TryGetValue(function, out var last) && clock.GetElapsedTime(last.At, now) < s_pauseOfWaits)
            {
                _waits[function] = (last.At, last.Omitted + 1);
                return;
            }
            omitted = last.Omitted;
            _waits[function] = (now, 0);
        }
        var more = omitted == 0 ? "" : string.Create(CultureInfo.InvariantCulture, $" ({omitted} more like this since the last line)");
        Write(string.Create(CultureInfo.InvariantCulture, $"{function}: waits {pause.TotalSeconds:0.0} s: {fault.Message}{more}"));
    }
}

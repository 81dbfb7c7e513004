using System.Diagnostics;
using System.Globalization;

namespace Jackdaw.Server.Hosting;

/// <summary>Ends the process, as kill -9 would, when a failpoint is reached for the given time: a test's setting
/// (<c>Testing.Failpoint</c>). Thread-safe.</summary>
internal sealed class FailpointKill
{
    private readonly string _name;
    private int _left;

    private FailpointKill(string name, int times)
    {
        _name = name;
        _left = times;
    }

    /// <summary>Null when nothing is set. <c>name</c> or <c>name#times</c>; the name must be one of <paramref name="known"/>.</summary>
    /// <exception cref="Configuration.ConfigurationException">There is no such failpoint, or the number is none.</exception>
    public static FailpointKill? Parse(string? setting, IReadOnlyList<string> known)
    {
        if (string.IsNullOrEmpty(setting))
            return null;
        string[] parts = setting.Split('#');
        int times = 1;
        bool isNumber =
            parts.Length == 1
            || (parts.Length == 2 && int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out times) && times > 0);
        if (!isNumber || !known.Contains(parts[0]))
            throw new Configuration.ConfigurationException(
                $"'{setting}' is no failpoint; there are {string.Join(", ", known)}, each with '#' and a number or without."
            );
        return new FailpointKill(parts[0], times);
    }

    public void Reached(string name)
    {
        if (name != _name || Interlocked.Decrement(ref _left) != 0)
            return;
        using var self = Process.GetCurrentProcess();
        self.Kill();
        // The signal is on its way: nothing more may happen on this thread.
        Thread.Sleep(Timeout.Infinite);
    }
}

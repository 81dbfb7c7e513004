using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Jackdaw.Tests;

/// <summary>Waiting for what must come about. The bound is only there so that a hang ends: a machine may be slow, or stand still
/// for half a minute.</summary>
public static class Eventually
{
    /// <summary>How long a test waits for what must come about. Nothing is to be learned from how long it took.</summary>
    public static TimeSpan Patience { get; } = TimeSpan.FromMinutes(2);

    public static Task IsAsync(Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string what = "") =>
        IsAsync(() => Task.FromResult(condition()), what);

    public static async Task IsAsync(Func<Task<bool>> condition, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        long began = Stopwatch.GetTimestamp();
        while (!await condition())
        {
            if (Stopwatch.GetElapsedTime(began) > Patience)
                throw new TimeoutException($"It did not come about within {Patience.TotalSeconds:0} s: {what}");
            await Task.Delay(5);
        }
    }
}

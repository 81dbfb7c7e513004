using System.Runtime.InteropServices;

namespace Jackdaw.Tests;

/// <summary>What work takes of the processor. The wall clock also counts that the machine is busy with something else, or stands
/// still.</summary>
public static partial class ProcessorTime
{
    private const int ThreadClock = 3; // CLOCK_THREAD_CPUTIME_ID, uapi/linux/time.h

    /// <summary>Of this thread, while it does the work.</summary>
    public static TimeSpan Of(Action work)
    {
        var before = OfThread();
        work();
        return OfThread() - before;
    }

    /// <summary>
    /// Whether the work takes no more than that, at one of three attempts: a virtual machine that stands still can count as work,
    /// but what is slow by itself is slow each time.
    /// </summary>
    public static bool IsWithin(TimeSpan most, Action work) => Of(work) <= most || Of(work) <= most || Of(work) <= most;

    private static TimeSpan OfThread()
    {
        if (GetTime(ThreadClock, out var time) != 0)
            throw new InvalidOperationException($"The thread's clock cannot be read: error {Marshal.GetLastPInvokeError()}.");
        return TimeSpan.FromSeconds(time.Seconds) + TimeSpan.FromMicroseconds(time.Nanoseconds / 1000);
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime", SetLastError = true)]
    private static partial int GetTime(int clock, out Time time);

    private struct Time
    {
        public long Seconds;
        public long Nanoseconds;
    }
}

namespace Jackdaw.Functions.CustomHandler.Hosting;

/// <summary>Notices the end of the host. One that is killed cannot end this process, and what it left behind would hold a port and
/// connections.</summary>
internal static class HostWatch
{
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1);

    /// <summary>Completes when the process that started this one has ended.</summary>
    public static async Task UntilGoneAsync(CancellationToken cancel)
    {
        var parent = Parent();
        using var timer = new PeriodicTimer(s_pause);
        while (await timer.WaitForNextTickAsync(cancel))
            if (Parent() != parent)
                return;
    }

    /// <summary>The fourth field of /proc/self/stat; the second, a name, stands in parentheses and may have any character.</summary>
    private static string Parent()
    {
        var text = File.ReadAllText("/proc/self/stat");
        return text[(text.LastIndexOf(')') + 1)..].Split(' ', StringSplitOptions.RemoveEmptyEntries)[1];
    }
}

using System.Runtime.Versioning;
using Jackdaw.Server.Metrics;

namespace Jackdaw.Server.Tests.Metrics;

public sealed class ProcessStatusTests
{
    [Fact]
    public void Anonymous_memory_is_read_in_bytes_and_is_0_where_the_kernel_does_not_tell_it()
    {
        Assert.Equal(12_345L * 1024, ProcessStatus.AnonymousBytes(["VmRSS:\t   99999 kB", "RssAnon:\t   12345 kB", "RssFile:\t 7 kB"]));
        Assert.Equal(0, ProcessStatus.AnonymousBytes(["VmRSS:\t   99999 kB"]));
        Assert.Equal(0, ProcessStatus.AnonymousBytes(["RssAnon: many kB"]));
    }

    [Fact]
    [SupportedOSPlatform("linux")]
    public void This_process_has_at_least_its_managed_heap() =>
        Assert.InRange(ProcessStatus.AnonymousBytes(), GC.GetTotalMemory(forceFullCollection: true) / 2, 1L << 40);
}

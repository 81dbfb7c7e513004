using Jackdaw.Storage.Memory;
using Xunit;

namespace Jackdaw.Storage.Tests.Memory;

/// <summary>The limit of the process's control group, in a file system of the test's own.</summary>
public sealed class MemoryLimitTests : IDisposable
{
    private const long Machine = 16L << 30;

    private readonly string _root = Directory.CreateTempSubdirectory("jackdaw-cgroup-").FullName;

    public MemoryLimitTests() => Write("proc/meminfo", $"MemTotal:       {Machine / 1024} kB\nMemFree:  1 kB\n");

    public void Dispose() => Directory.Delete(_root, recursive: true);

    [Fact]
    public void Without_a_group_it_is_the_memory_of_the_machine() => Assert.Equal(Machine, MemoryLimit.Read(_root).Bytes);

    [Fact]
    public void Version_2_is_read_at_the_groups_own_path_and_above_it()
    {
        Write("proc/self/cgroup", "0::/system.slice/jackdaw.service\n");
        Write("sys/fs/cgroup/system.slice/jackdaw.service/memory.max", "max\n");
        Assert.Equal(Machine, MemoryLimit.Read(_root).Bytes);
        Write("sys/fs/cgroup/system.slice/memory.max", "4294967296\n");
        Assert.Equal(4L << 30, MemoryLimit.Read(_root).Bytes);
        Write("sys/fs/cgroup/system.slice/jackdaw.service/memory.max", "1073741824\n");
        var limit = MemoryLimit.Read(_root);
        Assert.Equal(1L << 30, limit.Bytes);
        Assert.EndsWith("jackdaw.service/memory.max", limit.Source, StringComparison.Ordinal);
    }

    [Fact]
    public void In_a_container_the_mount_itself_is_the_group()
    {
        Write("proc/self/cgroup", "0::/docker/0123456789abcdef\n");
        Write("sys/fs/cgroup/memory.max", "536870912\n");
        Assert.Equal(512L << 20, MemoryLimit.Read(_root).Bytes);
    }

    [Fact]
    public void Version_1_is_read_where_version_2_says_nothing()
    {
        Write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n0::/\n");
        Write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2147483648\n");
        Assert.Equal(2L << 30, MemoryLimit.Read(_root).Bytes);
        Write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
        Assert.Equal(Machine, MemoryLimit.Read(_root).Bytes);
    }

    [Fact]
    public void This_machine_has_one() => Assert.True(MemoryLimit.Read().Bytes > 64 << 20);

    private void Write(string path, string text)
    {
        var file = Path.Combine(_root, path);
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, text);
    }
}

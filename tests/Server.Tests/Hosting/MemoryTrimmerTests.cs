using Jackdaw.Scripting;
using Jackdaw.Server.Endpoints.Changes;
using Jackdaw.Server.Hosting;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Tests.Hosting;

/// <summary>The pools are the process's, so these tests run alone.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
[Collection(Name)]
public sealed class MemoryTrimmerTests
{
    private const string Name = "memory of the process";

    [Fact]
    public void It_looks_while_a_pool_keeps_something_and_rests_afterwards()
    {
        var clock = new StoppedTimers();
        using var scripts = new ScriptEngine();
        using var trimmer = new MemoryTrimmer(scripts, clock);
        var pool = new BytePool("test", 8L << 20);
        KeptMemory.Register(pool);
        try
        {
            pool.Return(pool.Rent(1 << 20));
            Assert.True(trimmer.IsRunning);
            Assert.Equal(MemoryTrimmer.Interval, clock.Due);
            for (var looks = 0; trimmer.IsRunning; looks++)
            {
                Assert.True(looks < 20, "It never comes to rest.");
                trimmer.Look();
            }
            Assert.Equal(0, pool.KeptBytes);
            pool.Return(pool.Rent(1 << 20));
            Assert.True(trimmer.IsRunning);
        }
        finally
        {
            KeptMemory.Unregister(pool);
        }
    }

    /// <summary>A read a second keeps one reader for the next one, for ever: free pages must not wait for the last of them.</summary>
    [Fact]
    public void Free_pages_are_given_back_once_after_a_burst_although_little_is_kept_all_the_time()
    {
        using var scripts = new ScriptEngine();
        using var trimmer = new MemoryTrimmer(scripts, new StoppedTimers());
        var pool = new BytePool("test", 8L << 20);
        KeptMemory.Register(pool);
        try
        {
            for (var looks = 0; looks < 20; looks++)
            {
                pool.Return(pool.Rent(256 << 10));
                trimmer.Look();
                Assert.True(trimmer.IsRunning);
            }
            Assert.Equal(1, trimmer.TimesGivenBack);
        }
        finally
        {
            KeptMemory.Unregister(pool);
        }
    }

    [Fact]
    public async Task A_burst_of_new_sockets_starts_the_looks()
    {
        using var scripts = new ScriptEngine();
        using var trimmer = new MemoryTrimmer(scripts, new StoppedTimers());
        await using var changes = new ServerChanges();
        for (var looks = 0; trimmer.IsRunning && looks < 20; looks++)
            trimmer.Look();
        for (var sockets = 0; sockets < 999; sockets++)
            changes.NoteOpened();
        Assert.False(trimmer.IsRunning);

        changes.NoteOpened();
        Assert.True(trimmer.IsRunning);
    }

    /// <summary>Timers that never fire: the test looks itself.</summary>
    private sealed class StoppedTimers : TimeProvider
    {
        public TimeSpan Due { get; private set; }

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            new StoppedTimer(this);

        private sealed class StoppedTimer(StoppedTimers timers) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                timers.Due = dueTime;
                return true;
            }

            public void Dispose() { }

            public ValueTask DisposeAsync() => default;
        }
    }
}

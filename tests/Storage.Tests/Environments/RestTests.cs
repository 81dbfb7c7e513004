using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Xunit;

namespace Jackdaw.Storage.Tests.Environments;

/// <summary>An environment that nobody uses: nothing of it is due, and what the kernel evicts meanwhile is verified again.</summary>
public sealed class RestTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-rest-").FullName;
    private readonly ManualClock _clock = new();
    private readonly LinuxDisk _disk;
    private readonly StorageEnvironment _environment;

    public RestTests()
    {
        _disk = new LinuxDisk(_folder);
        _environment = StorageEnvironment.Open(
            _disk,
            new EnvironmentOptions
            {
                JournalFileBytes = 1 << 20,
                MaxDataFileBytes = 1L << 30,
                Time = _clock,
            }
        );
        Put();
    }

    public void Dispose()
    {
        _environment.Dispose();
        _disk.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void Something_is_due_until_all_is_flushed_and_synced_and_then_nothing_until_it_is_used()
    {
        // A spare journal file, and a flush.
        Assert.InRange(_environment.NextBackgroundStep(), TimeSpan.Zero, TimeSpan.FromSeconds(1));
        Rest();
        Assert.Equal(Timeout.InfiniteTimeSpan, _environment.NextBackgroundStep());
        Put();
        Assert.InRange(_environment.NextBackgroundStep(), TimeSpan.Zero, TimeSpan.FromSeconds(1));
        Rest();
        Assert.Equal(Timeout.InfiniteTimeSpan, _environment.NextBackgroundStep());
        // Whoever reads makes a look for evicted pages due.
        Assert.True(Get());
        Assert.InRange(_environment.NextBackgroundStep(), TimeSpan.FromSeconds(1), _environment.Options.SyncInterval);
    }

    [Fact]
    public void Pages_are_verified_anew_when_an_environment_is_used_again()
    {
        Rest();
        Assert.True(Get());
        // Nobody verifies what was verified and is in memory.
        Damage();
        Rest();
        Assert.Throws<CorruptedDataException>(() => Get());
    }

    private void Put()
    {
        using (var writer = _environment.BeginWrite())
        {
            writer.Catalog.OpenTree("values").Put("a"u8, new byte[1000]);
            writer.Commit();
        }
        while (_environment.RunJournalStep()) { }
    }

    private bool Get()
    {
        using var reader = _environment.BeginRead("test");
        return reader.Catalog.TryOpenTree("values", out var values) && values.TryGet("a"u8, out _);
    }

    /// <summary>Runs the steps, as a host does, until the environment has not been used for two looks.</summary>
    private void Rest()
    {
        for (int i = 0; i < 10 && _environment.NextBackgroundStep() != Timeout.InfiniteTimeSpan; i++)
        {
            while (_environment.RunSpareStep() || _environment.RunFlushStep() || _environment.RunSyncStep()) { }
            _environment.RunEvictionStep();
            _clock.Advance(_environment.Options.SyncInterval + TimeSpan.FromSeconds(1));
        }
    }

    private void Damage()
    {
        using var file = new FileStream(Path.Combine(_folder, "data"), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        for (long page = 0; page < file.Length / PageLayout.PageSize; page++)
        {
            file.Position = page * PageLayout.PageSize + 4;
            int value = file.ReadByte();
            file.Position--;
            file.WriteByte((byte)(value ^ 0xFF));
        }
    }
}

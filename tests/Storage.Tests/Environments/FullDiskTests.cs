using System.Diagnostics;
using System.Text;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Storage.Tests.Environments;

/// <summary>A real file system of two megabytes, filled to the brim.</summary>
public sealed class FullDiskTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-full-").FullName;

    private static EnvironmentOptions Options =>
        new()
        {
            InitialDataFileBytes = 64 << 10,
            MaxDataFileBytes = 1L << 30,
            JournalFileBytes = 128 << 10,
        };

    private string Filler => Path.Combine(_folder, "filler");

    public void Dispose()
    {
        Run("umount", _folder);
        Directory.Delete(_folder, recursive: true);
    }

    [RootFact]
    public void A_full_disk_refuses_single_transactions_and_writing_resumes_once_there_is_room()
    {
        Run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", _folder);
        using var disk = new LinuxDisk(_folder);
        using var environment = StorageEnvironment.Open(disk, Options);
        Fill();
        var written = PutUntilRefused(environment);
        Assert.True(written > 0);
        Verify(environment, written);
        Assert.Null(environment.Poison);
        File.Delete(Filler);
        for (var i = 0; i < 20; i++)
            Put(environment, written + i);
        Verify(environment, written + 20);
    }

    /// <summary>
    /// A server on a full disk was stopped and started again: the opening wanted a new journal file although none could be made,
    /// and the database was
    /// gone even for reading.
    /// </summary>
    [RootFact]
    public void An_environment_on_a_full_disk_opens_again_though_no_journal_file_can_be_made()
    {
        Run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", _folder);
        int written;
        using (var disk = new LinuxDisk(_folder))
        using (var environment = StorageEnvironment.Open(disk, Options))
        {
            Fill();
            written = PutUntilRefused(environment);
        }
        foreach (var spare in SparesOf(Path.Combine(_folder, "journal")))
            File.Delete(spare);
        Fill();
        for (var round = 0; round < 3; round++)
        {
            using var disk = new LinuxDisk(_folder);
            using var environment = StorageEnvironment.Open(disk, Options);
            Verify(environment, written);
            Fill();
        }
    }

    /// <summary>Takes all the room that is left.</summary>
    private void Fill()
    {
        using var file = new FileStream(Filler, FileMode.Append, FileAccess.Write, FileShare.None, bufferSize: 0);
        try
        {
            while (true)
                file.Write(new byte[4096]);
        }
        catch (IOException)
        {
            // Full: that is what was wanted.
        }
    }

    /// <summary>Journal files that have not been begun carry another sequence than their name.</summary>
    private static IEnumerable<string> SparesOf(string folder) =>
        Directory
            .GetFiles(folder)
            .Where(file => Convert.ToInt64(Path.GetFileName(file), 16) != BitConverter.ToInt64(File.ReadAllBytes(file), 32));

    private static int PutUntilRefused(StorageEnvironment environment)
    {
        for (var i = 0; ; i++)
        {
            try
            {
                Put(environment, i);
            }
            catch (DiskFullException)
            {
                Assert.Throws<DiskFullException>(() => Put(environment, i));
                return i;
            }
        }
    }

    private static void Put(StorageEnvironment environment, int number)
    {
        using var writer = environment.BeginWrite();
        writer.Catalog.OpenTree("t").Put(Encoding.UTF8.GetBytes($"{number}"), new byte[500]);
        var commit = writer.Commit();
        while (environment.RunJournalStep()) { }
        Assert.True(commit.IsDurable, environment.Poison?.ToString());
        environment.RunFlushStep(force: true);
        environment.RunSpareStep();
    }

    private static void Verify(StorageEnvironment environment, int written)
    {
        using var reader = environment.BeginRead("test");
        var tree = reader.Catalog.OpenTree("t");
        Assert.Equal(written, tree.EntryCount);
        for (var i = 0; i < written; i++)
            Assert.True(tree.Contains(Encoding.UTF8.GetBytes($"{i}")));
    }

    private static void Run(string command, params string[] arguments)
    {
        using var process = Process.Start(command, arguments);
        process.WaitForExit();
    }
}

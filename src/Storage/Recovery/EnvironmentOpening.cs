using Jackdaw.Storage.Data;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Headers;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Recovery;

/// <summary>Opens, creates and recovers environments. docs/storage-format.md, "Recovery".</summary>
internal static unsafe class EnvironmentOpening
{
    private const string LockName = "lock";

    /// <summary>There from before the first file of a new environment until after its headers: only then may remains be removed.</summary>
    private const string CreatingName = "creating";

    public static StorageEnvironment Open(IDisk disk, EnvironmentOptions options)
    {
        var opened = new List<IDisposable>();
        try
        {
            var fileLock = Keep(opened, disk.Lock(LockName));
            var started = options.Time.GetTimestamp();
            var parts = HeaderFiles.Exist(disk)
                ? Recover(disk, options, fileLock, opened, started)
                : Create(disk, options, fileLock, opened);
            var environment = new StorageEnvironment(parts, options);
            if (parts.Recovered.Created)
                environment.Initialize();
            return environment;
        }
        catch
        {
            for (var i = opened.Count - 1; i >= 0; i--)
                opened[i].Dispose();
            throw;
        }
    }

    /// <summary>
    /// A new environment: journal and data first, the headers last; a crash in between leaves no header, hence no environment, and the next
    /// opening begins anew over the remains.
    /// </summary>
    private static EnvironmentParts Create(IDisk disk, EnvironmentOptions options, IDisposable fileLock, List<IDisposable> opened)
    {
        if (!options.MayCreate)
            throw new CorruptedDataException(
                $"{disk.Description}/{HeaderFiles.Names[0]}",
                0,
                "both headers are missing; nothing was changed"
            );
        RequireNothingLost(disk);
        disk.Open(CreatingName, DiskFileMode.Buffered, create: true).Dispose();
        disk.SyncDirectory("");
        RemoveRemains(disk);
        var random = options.Random ?? Random.Shared;
        var header = new EnvironmentHeader
        {
            Generation = 1,
            EnvironmentId = NewId(random),
            JournalId = NewId(random),
            Synced = default,
            Pages = 0,
            AtomicUnit = disk.AtomicUnit,
        };
        var journal = Keep(opened, JournalWriter.Create(disk, JournalOptionsOf(options, header.JournalId, random)));
        var file = disk.Open(DataFile.FileName, DiskFileMode.Data, create: true);
        var data = Keep(opened, OpenData(file, header.EnvironmentId, disk, options));
        disk.SyncDirectory("");
        var first = header with { Synced = journal.Position };
        var headers = Keep(opened, HeaderFiles.Unwritten(disk, first));
        return new EnvironmentParts(
            disk,
            fileLock,
            headers,
            data,
            journal,
            journal.Position,
            0,
            new RecoveryReport(true, 0, 0, 0, default, null)
        );
    }

    private static EnvironmentParts Recover(
        IDisk disk,
        EnvironmentOptions options,
        IDisposable fileLock,
        List<IDisposable> opened,
        long started
    )
    {
        var random = options.Random ?? Random.Shared;
        // A process that died between a name and the sync of its folder leaves names that are seen, but that a power cut would take back.
        disk.SyncDirectory("");
        if (disk.Exists(CreatingName))
            EndCreation(disk);
        var headers = Keep(opened, HeaderFiles.Open(disk));
        var header = headers.Newest;
        // Replay from here on writes pages back to what they were meanwhile. Should the other header have been unreadable only
        // this once, and this
        // recovery be cut off, the next one must not trust it to be past those pages: so it is replaced first.
        if (headers.Other == null)
            headers.Sync(headers.Write(header), header);
        if (!disk.Exists(DataFile.FileName))
            throw new CorruptedDataException($"{disk.Description}/{DataFile.FileName}", 0, "the file is missing");
        var file = disk.Open(DataFile.FileName, DiskFileMode.Data, create: false);
        var data = Keep(opened, OpenData(file, header.EnvironmentId, disk, options));
        if (data.Pages < header.Pages)
            throw new CorruptedDataException(
                data.Path,
                data.Pages * PageLayout.PageSize,
                $"the file has {data.Pages} pages of the {header.Pages} that were synced"
            );

        if (header.HasFreshJournal)
            return BeginFreshJournal(
                disk,
                options,
                random,
                fileLock,
                headers,
                data,
                opened,
                new RecoveryReport(false, 0, 0, 0, default, null)
            );
        var journalOptions = JournalOptionsOf(options, header.JournalId, random);
        using var replay = new Replay(data, options);
        var end = new JournalReader(disk, journalOptions).Read(header.Synced, replay, options.AcceptDataLoss);
        replay.Finish();
        var pageCount = *(long*)(data.Read(PageLayout.MetaPage) + StorageEnvironment.MetaPageCountOffset);
        data.Grow(pageCount);
        data.File.Sync();

        var report = new RecoveryReport(
            false,
            end.Records,
            end.BytesRead,
            replay.WrittenPages,
            options.Time.GetElapsedTime(started),
            end.Damage?.Error.Message
        );
        var journal = header.IsCopy ? null : TryGoOn(disk, journalOptions, end.Position);
        if (journal == null)
        {
            headers.WriteBoth(
                header with
                {
                    JournalId = NewId(random),
                    Synced = end.Position,
                    Pages = pageCount,
                    IsCopy = false,
                    HasFreshJournal = true,
                }
            );
            return BeginFreshJournal(disk, options, random, fileLock, headers, data, opened, report);
        }
        Keep(opened, journal);
        var next = header with { Synced = journal.Position, Pages = pageCount, ClosedCleanly = false };
        // With damage given up neither header may lead back to it.
        if (end.Damage is null)
            headers.Sync(headers.Write(next), next);
        else
            headers.WriteBoth(next);
        return new EnvironmentParts(disk, fileLock, headers, data, journal, journal.Position, pageCount, report);
    }

    /// <summary>
    /// The journal's next file; null when there is neither a spare nor room for a file. All that was journaled is in the data
    /// file by then, so the
    /// old files can make room: the journal begins anew.
    /// </summary>
    private static JournalWriter? TryGoOn(IDisk disk, JournalOptions options, JournalPosition end)
    {
        try
        {
            return JournalWriter.BeginAfterRecovery(disk, options, end);
        }
        catch (DiskFullException)
        {
            return null;
        }
    }

    /// <summary>
    /// The journal of a restored copy, or of a disk too full for another file: both headers say that it has not begun, so that no
    /// crash finds files of the other journal where its own
    /// should be; both stop saying so before anything is written to it.
    /// </summary>
    private static EnvironmentParts BeginFreshJournal(
        IDisk disk,
        EnvironmentOptions options,
        Random random,
        IDisposable fileLock,
        HeaderFiles headers,
        DataFile data,
        List<IDisposable> opened,
        RecoveryReport report
    )
    {
        var header = headers.Newest;
        RemoveJournal(disk);
        var journalOptions = JournalOptionsOf(options, header.JournalId, random);
        var journal = Keep(opened, JournalWriter.Create(disk, journalOptions, header.Synced.TransactionId));
        headers.WriteBoth(header with { Synced = journal.Position, ClosedCleanly = false, HasFreshJournal = false });
        data.Grow(header.Pages);
        return new EnvironmentParts(disk, fileLock, headers, data, journal, journal.Position, header.Pages, report);
    }

    private static DataFile OpenData(IDiskFile file, Guid environmentId, IDisk disk, EnvironmentOptions options) =>
        new(file, environmentId, options.MaxDataFileBytes, disk.IsDurable, options.Time, options.ReservedDataFileBytes);

    private static void RemoveJournal(IDisk disk)
    {
        disk.CreateDirectory(JournalOptions.DefaultDirectory);
        foreach (var name in disk.List(JournalOptions.DefaultDirectory))
            disk.Delete($"{JournalOptions.DefaultDirectory}/{name}");
    }

    /// <summary>The headers are durable. Nothing is accepted before this is, too.</summary>
    public static void EndCreation(IDisk disk)
    {
        disk.Delete(CreatingName);
        disk.SyncDirectory("");
    }

    /// <summary>See <see cref="StorageEnvironment.WasNeverMade"/>.</summary>
    public static bool WasNeverMade(IDisk disk) =>
        !HeaderFiles.Exist(disk)
        && (disk.Exists(CreatingName) || !(disk.Exists(DataFile.FileName) || disk.List(JournalOptions.DefaultDirectory).Count > 0));

    /// <summary>A folder with data but without headers is one that lost them, unless it never came to have them.</summary>
    private static void RequireNothingLost(IDisk disk)
    {
        if (!WasNeverMade(disk))
            throw new CorruptedDataException(
                $"{disk.Description}/{HeaderFiles.Names[0]}",
                0,
                "both headers are missing, while there is a data file or a journal; nothing was changed"
            );
    }

    private static void RemoveRemains(IDisk disk)
    {
        RemoveJournal(disk);
        if (disk.Exists(DataFile.FileName))
            disk.Delete(DataFile.FileName);
        disk.SyncDirectory(JournalOptions.DefaultDirectory);
        disk.SyncDirectory("");
    }

    private static JournalOptions JournalOptionsOf(EnvironmentOptions options, Guid journalId, Random random) =>
        new()
        {
            JournalId = journalId,
            FileBytes = options.JournalFileBytes,
            FirstFileBytes = Math.Min(options.FirstJournalFileBytes, options.JournalFileBytes),
            Planted = options.Planted,
            PlantedLazy = options.PlantedLazy,
            // What is written between two syncs comes back at once; and a sync can take longer than a file lasts.
            KeptSpares = (int)Math.Clamp(options.SyncThresholdBytes / options.JournalFileBytes + 2, 2, 16),
            SparesUnderLoad = 2,
            Compression = options.Compression,
            Clock = options.Time,
            NextRandom = () => (ulong)random.NextInt64(),
        };

    private static Guid NewId(Random random)
    {
        Span<byte> bytes = stackalloc byte[16];
        random.NextBytes(bytes);
        return new Guid(bytes);
    }

    private static T Keep<T>(List<IDisposable> opened, T resource)
        where T : IDisposable
    {
        opened.Add(resource);
        return resource;
    }
}

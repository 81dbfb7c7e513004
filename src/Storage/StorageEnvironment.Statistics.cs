using Jackdaw.Storage.Data;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Statistics;

namespace Jackdaw.Storage;

/// <summary>What people may look at.</summary>
public sealed partial class StorageEnvironment
{
    /// <summary>Returns the pages that were found damaged since the environment was opened: by readers, by writers or by its own
    /// work.</summary>
    public IReadOnlyList<DamagedPage> DamagedPages => Data.Damaged.All;

    /// <summary>What the environment holds and has done, at this moment.</summary>
    public EnvironmentStatistics GetStatistics()
    {
        var journal = _journal.Statistics;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            var readers = _readers
                .Select(reader => new ReaderStatistics(reader.Purpose, reader.Id, Options.Time.GetElapsedTime(reader.StartedAt)))
                .ToList();
            return new EnvironmentStatistics
            {
                Name = Name,
                DataFileBytes = Data.Pages * PageLayout.PageSize,
                DurableTransaction = _durable.TransactionId,
                VisibleTransaction = Visible.TransactionId,
                RollBacks = _generation - 1,
                UnjournaledBytes = _unjournaledBytes,
                FlushedTransaction = _flushed.Position.TransactionId,
                SyncedTransaction = _syncedHeader.Synced.TransactionId,
                PendingCommits = _pending.Count,
                ScratchUsedBytes = Scratch.UsedBytes,
                ScratchAllocatedBytes = Scratch.AllocatedBytes,
                ScratchKeptBytes = Scratch.KeptBytes,
                ScratchLimitBytes = Options.MaxScratchBytes,
                PageMapBytes = MapNodes.AllocatedBytes,
                Readers = readers.Count,
                OldestReader = readers.FirstOrDefault(),
                LongReaders = [.. readers.Where(reader => reader.Age >= Options.LongReaderAge)],
                JournalBytesAppended = journal.BytesAppended,
                JournalRecords = journal.Records,
                JournalFiles = journal.FilesInUse,
                SpareJournalFiles = journal.SpareFiles,
                SpareJournalFailures = journal.SpareFailures,
                LastSpareJournalFailure = journal.LastSpareFailure,
                Poison = Poison?.Message,
            };
        }
    }
}

using Jackdaw.Storage.Memory;

namespace Jackdaw.Storage;

/// <summary>Memory that the environment keeps for its next transaction, beside scratch.</summary>
public sealed partial class StorageEnvironment
{
    internal IKeptMemory KeptWorkMemory => _workMemory;

    /// <summary>
    /// The journal's buffers, the page map's nodes and the list of changed pages. They are given back when no transaction was
    /// written since the
    /// last look.
    /// </summary>
    private sealed class WorkMemory : IKeptMemory, IDisposable
    {
        /// <summary>Nodes and list entries that the pages of a full scratch need; a node holds 64 pages or more.</summary>
        private const int BytesPerPage = 64;

        private readonly StorageEnvironment _environment;
        private long _lastSeen = -1;

        public WorkMemory(StorageEnvironment environment)
        {
            _environment = environment;
            KeptMemory.Register(this);
        }

        public string Owner => "journal buffers and page maps";

        public long KeptBytes =>
            _environment._journal.KeptBufferBytes + _environment.DirtyPages.KeptBytes + _environment.MapNodes.UnusedBytes;

        public long MaxKeptBytes =>
            Journal.JournalWriter.MaxKeptBufferBytes + _environment.Options.MaxScratchBytes / Pages.PageLayout.PageSize * BytesPerPage;

        public long Trim()
        {
            // A step that is under way keeps its buffers; one that comes meanwhile waits.
            if (Interlocked.CompareExchange(ref _environment._journalUse, JournalIsTrimmed, JournalIsFree) != JournalIsFree)
                return 0;
            try
            {
                return TrimIdle();
            }
            finally
            {
                Volatile.Write(ref _environment._journalUse, JournalIsFree);
            }
        }

        public void Dispose() => KeptMemory.Unregister(this);

        private long TrimIdle()
        {
            lock (_environment._lock)
            {
                var seen = _environment._latest.TransactionId;
                var isIdle = seen == _lastSeen && _environment._pending.Count == 0 && _environment._writer == null;
                _lastSeen = seen;
                if (_environment._disposed || !isIdle)
                    return 0;
                return _environment._journal.TrimBuffers() + _environment.DirtyPages.Trim() + _environment.MapNodes.TrimUnused();
            }
        }
    }
}

using Jackdaw.Storage.Data;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Headers;
using Jackdaw.Storage.Journal;

namespace Jackdaw.Storage.Recovery;

/// <summary>The open files of an environment, and the state from which it goes on.</summary>
internal sealed record EnvironmentParts(
    IDisk Disk,
    IDisposable FileLock,
    HeaderFiles Headers,
    DataFile Data,
    JournalWriter Journal,
    JournalPosition Position,
    long PageCount,
    RecoveryReport Recovered
);

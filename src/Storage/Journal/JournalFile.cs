using Jackdaw.Storage.Disk;

namespace Jackdaw.Storage.Journal;

/// <summary>An open file of the journal: the current one or a spare.</summary>
internal sealed class JournalFile : IDisposable
{
    public JournalFile(IDiskFile file, long sequence, int unit)
    {
        File = file;
        Sequence = sequence;
        Length = file.Length / unit * unit;
        Capacity = Length - unit;
    }

    public IDiskFile File { get; private set; }

    public long Sequence { get; private set; }

    public long Length { get; }

    /// <summary>Bytes for records: all but the header block.</summary>
    public long Capacity { get; }

    /// <summary>Of the present use; 0 for a spare.</summary>
    public ulong Salt { get; private set; }

    public void BeginUse(ulong salt) => Salt = salt;

    /// <summary>The same file under a later name, opened again so that errors name it rightly.</summary>
    public void Renamed(IDiskFile file, long sequence)
    {
        File.Dispose();
        File = file;
        Sequence = sequence;
    }

    public void Dispose() => File.Dispose();
}

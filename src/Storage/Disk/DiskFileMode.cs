namespace Jackdaw.Storage.Disk;

/// <summary>How a file is opened; each file of an environment has exactly one mode.</summary>
public enum DiskFileMode
{
    /// <summary>The data file: read through a mapping, written by buffered positional writes, made durable by
    /// <see cref="IDiskFile.Sync"/>.</summary>
    Data,

    /// <summary>A journal file: O_DIRECT and O_DSYNC; offsets, lengths and buffers are multiples of the atomic unit (buffers of
    /// 4,096).</summary>
    Direct,

    /// <summary>A small file (headers, copies): buffered reads and writes, made durable by <see cref="IDiskFile.Sync"/>.</summary>
    Buffered,
}

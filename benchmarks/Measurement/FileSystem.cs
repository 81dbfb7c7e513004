namespace Jackdaw.Bench.Measurement;

/// <summary>What is done to the file system between runs.</summary>
internal static class FileSystem
{
    /// <summary>Writes everything that the file system of the folder still has in memory (syncfs).</summary>
    public static void Sync(string directory)
    {
        int file = Libc.Open(directory, flags: 0, mode: 0);
        if (file < 0)
            throw Libc.Error("open " + directory);
        int result = Libc.SyncFileSystem(file);
        _ = Libc.Close(file);
        if (result != 0)
            throw Libc.Error("syncfs " + directory);
    }

    /// <summary>Drops the file's clean pages from the page cache, so that the next read is a read from the disk. The file must
    /// not be mapped.</summary>
    public static void DropFromCache(string path)
    {
        int file = Libc.OpenOrThrow(path, 0);
        try
        {
            if (Libc.SyncFile(file) != 0)
                throw Libc.Error("fsync " + path);
            int error = Libc.Advise(file, 0, 0, Libc.AdviseDontNeed);
            if (error != 0)
                throw new IOException($"posix_fadvise {path}: errno {error}");
        }
        finally
        {
            _ = Libc.Close(file);
        }
    }
}

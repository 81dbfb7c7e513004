using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Disk;

/// <summary>Writes everything through <see cref="IDiskFile.WriteAt"/>, which may take less than it is given.</summary>
internal static unsafe class FullWrite
{
    /// <summary>Rounds in a row that may end within the first block: an interrupted call is likely to be whole the next time.</summary>
    private const int FruitlessRounds = 8;

    /// <summary>
    /// Writes the buffer at the offset. A short write is resumed at its last whole block of <paramref name="blockSize"/> bytes (1
    /// for buffered
    /// files): a direct write must begin on a block, and of a block that was taken in part nothing is known.
    /// </summary>
    /// <exception cref="DiskException">The write failed, or keeps ending before a block is whole.</exception>
    public static void Write(IDiskFile file, long offset, byte* buffer, int length, int blockSize, PlantedFault planted = PlantedFault.None)
    {
        Invariant.Require(blockSize > 0 && offset % blockSize == 0 && length >= 0 && length % blockSize == 0);
        var fruitless = 0;
        for (var done = 0; done < length; )
        {
            var written = file.WriteAt(offset + done, buffer + done, length - done);
            Invariant.Require(written >= 0 && written <= length - done);
            var whole = written - written % blockSize;
            if (planted == PlantedFault.MisalignedResume && whole != written)
                whole += blockSize;
            fruitless = whole == 0 ? fruitless + 1 : 0;
            if (written == 0 || fruitless > FruitlessRounds)
                throw new DiskException(file.FullPath, "write", offset + done, LinuxCalls.EIO, "the device takes no whole block");
            done += whole;
        }
    }
}

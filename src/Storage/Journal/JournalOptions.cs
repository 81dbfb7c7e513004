using System.Security.Cryptography;

namespace Jackdaw.Storage.Journal;

/// <summary>What a journal needs to know from outside.</summary>
internal sealed record JournalOptions
{
    public const string DefaultDirectory = "journal";

    public const long DefaultFileBytes = 32L << 20;

    /// <summary>The smallest file that is worth its header.</summary>
    public const long MinFileBytes = 16 << 10;

    /// <summary>Names this environment's journal; a file of another is refused.</summary>
    public required Guid JournalId { get; init; }

    public string Directory { get; init; } = DefaultDirectory;

    /// <summary>Length of an ordinary journal file in bytes; a multiple of 4,096. A record that does not fit gets a longer one.</summary>
    public long FileBytes { get; init; } = DefaultFileBytes;

    /// <summary>
    /// Length of the first files, from which they grow fourfold with each rotation up to <see cref="FileBytes"/>: an environment
    /// that is hardly written takes little of the
    /// disk. A multiple of 4,096. Null: <see cref="FileBytes"/> from the beginning.
    /// </summary>
    public long? FirstFileBytes { get; init; }

    /// <summary>Recycled files that are kept as spares; further ones are deleted.</summary>
    public int KeptSpares { get; init; } = 2;

    /// <summary>Spares made ahead once files are really used up; until then it is one.</summary>
    public int SparesUnderLoad { get; init; } = 1;

    /// <summary>Blocks of new files, in bytes: 512 or 4,096. Null: as the disk reports. Files are read with the unit that their
    /// header names.</summary>
    public int? AtomicUnit { get; init; }

    public JournalCompression Compression { get; init; } = JournalCompression.WhenItPays;

    /// <summary>Where salts come from.</summary>
    public Func<ulong> NextRandom { get; init; } = NextCryptographicRandom;

    /// <summary>A mistake for the simulator to find.</summary>
    public PlantedFault Planted { get; init; }

    /// <summary>Likewise, in an environment that is lazily durable.</summary>
    public PlantedLazyFault PlantedLazy { get; init; }

    /// <summary>Measures writes and compression, to judge whether compression pays.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    private static ulong NextCryptographicRandom()
    {
        Span<byte> bytes = stackalloc byte[8];
        RandomNumberGenerator.Fill(bytes);
        return BitConverter.ToUInt64(bytes);
    }
}
